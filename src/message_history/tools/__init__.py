"""Tools of requests as values, read from any provider's form and written in any other's."""

from message_history.dialects._shared.tools.values import OmittedPart, Tool, ToolChoice, Toolset
from message_history.tools.converting import parse_toolset, render_toolset, tool_api

__all__ = ["OmittedPart", "Tool", "ToolChoice", "Toolset", "parse_toolset", "render_toolset", "tool_api"]
