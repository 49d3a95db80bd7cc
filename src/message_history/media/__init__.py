"""Images and documents: what their bytes say, what a receiver takes, and how they are made to fit.

Nothing here knows a provider: the limits come from the dialects, as data. Nothing is ever fetched.
"""

from message_history.media.limits import NO_LIMITS, Limits
from message_history.media.passing import bear_media, bears_media, fit_media

__all__ = ["NO_LIMITS", "Limits", "bear_media", "bears_media", "fit_media"]
