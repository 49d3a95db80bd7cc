"""pydantic: annotations that say how strictly a history is validated. Without one it is read by `from_list`.

class Conversation(BaseModel):
    history: MessageHistory                              # any list; what is broken is repaired
    strict: Annotated[MessageHistory, Strict()]          # a broken list is a validation error
    asked: Annotated[MessageHistory, FromClient()]       # user messages only
"""

from __future__ import annotations

from message_history.dialects.pydantic_schema import FromClient, Strict

__all__ = ["FromClient", "Strict"]
