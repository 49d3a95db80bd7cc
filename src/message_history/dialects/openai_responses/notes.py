"""What the parser notes about how a block stood in its list, under names that no key of a provider has.

They are kept with the block's own keys, and no request has a place for them.
"""

from __future__ import annotations

from typing import Final

ITEM: Final = "(item)"
"""The id of the message that a text is a part of."""
PART_COUNT: Final = "(parts)"
"""How many parts that message has."""
LED_TO: Final = "(led_to)"
"""The id of the item that reasoning stood before; empty for one without an id."""
DEVELOPER: Final = "(developer)"
"""True where system text is the developer's."""
PART: Final = "(part)"
"""True for a part of a message whose type is not known: as an item it would be another thing."""
RESPONSE: Final = "(noted)"
"""The id and the model of a response."""
NOTES: Final = frozenset({DEVELOPER, ITEM, LED_TO, PART, PART_COUNT, RESPONSE})
