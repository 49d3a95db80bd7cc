"""Images and documents: what their bytes say, what a dialect's limits allow, and how they are made to fit."""

from message_history.media.fit import fit_media, has_media
from message_history.media.limits import NO_LIMITS, Limits

__all__ = ["NO_LIMITS", "Limits", "fit_media", "has_media"]
