"""Images and documents: what their bytes say, what a receiver takes, and how they are made to fit.

Nothing here knows a provider: the limits come from the dialects, as data. Nothing is ever fetched.
"""

from message_history.media.fit import fit_media, has_media
from message_history.media.limits import NO_LIMITS, Limits

__all__ = ["NO_LIMITS", "Limits", "fit_media", "has_media"]
