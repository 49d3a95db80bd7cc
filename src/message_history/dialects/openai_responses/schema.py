"""The rules of the Responses API, as data: ids as in the catalogue they came from, provider texts verbatim.

`{n}` stands for an item, `{ids}` for an id in it. A rule without an error text is documented, or was seen without one.
Texts were reported or recorded; none was produced by calling the API for this list. What depends on the account, the
request or the server's memory (OR-10, OR-21, OR-22) is documented here, but no list alone can show it.
"""

from __future__ import annotations

from typing import Final

from message_history.dialects._shared.tables import RuleTable

__all__ = ["RULES"]

RULES: Final = RuleTable("openai_responses")
