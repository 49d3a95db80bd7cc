"""Follow a raw list that an agent grows and sends whole each time; `MessageHistory.follow` begins to."""

from message_history.following.followed import Followed, Replaced, followed_from

__all__ = ["Followed", "Replaced", "followed_from"]
