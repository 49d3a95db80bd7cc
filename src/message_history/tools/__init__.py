"""Tools of requests as values, read from any provider's form and written in any other's."""

from message_history.tools.parsing import parse_toolset, tool_api
from message_history.tools.rendering import render_toolset
from message_history.tools.values import OmittedPart, Tool, ToolChoice, Toolset

__all__ = ["OmittedPart", "Tool", "ToolChoice", "Toolset", "parse_toolset", "render_toolset", "tool_api"]
