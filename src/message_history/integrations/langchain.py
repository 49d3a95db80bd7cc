"""LangChain: the dialect of its messages, by the name of what it integrates."""

from message_history.dialects.langchain import LangChain

__all__ = ["LangChain"]
