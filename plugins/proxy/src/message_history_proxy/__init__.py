"""An HTTP proxy that heals requests on their way."""

from message_history_proxy.app import create_app
from message_history_proxy.settings import Settings, Upstream

__all__ = ["Settings", "Upstream", "create_app"]
