"""An HTTP proxy that heals requests on their way: needs the extra `proxy`."""
