"""Which rules something that we did not write judges too; `test_covered.py` holds this table to what the oracles say.

A rule is judged when an oracle refuses a list that breaks this rule and no other.
"""

from __future__ import annotations

from typing import Final

__all__ = ["COVERED", "ORACLES"]

ORACLES: Final = {
    "anthropic": "the types of the `anthropic` SDK",
    "openai": "the types of the `openai` SDK",
    "google-genai": "the types and converters of the `google-genai` SDK",
    "botocore": "botocore's validation of Converse parameters",
    "mistral-common": "the request validators of mistral-common, in serving mode",
    "templates": "chat templates that raise",
    "pydantic-ai": "pydantic-ai's own types and agent",
}
"""What each oracle is."""

COVERED: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "anthropic": {
        "anthropic": (
            "AN-A4",
            "AN-A10",
            "AN-A11",
            "AN-B5",
            "AN-B6",
            "AN-B7",
            "AN-B8",
            "AN-B10",
            "AN-C9",
            "AN-C14",
            "AN-T5",
            "AN-S4",
            "AN-K3",
            "AN-M5",
            "AN-M7",
        )
    },
    "openai_chat": {
        "openai": (
            "OC-08",
            "OC-09",
            "OC-13",
            "OC-15",
            "OC-16",
            "OC-18",
            "DS-12",
            "KM-02",
            "KM-06",
            "HF-13",
            "OL-04",
            "OC-24",
            "OC-26",
        ),
        "templates": ("OC-10", "HF-01", "HF-02", "HF-03", "HF-04", "HF-05", "HF-06", "HF-07", "HF-08", "HF-10"),
    },
    "openai_responses": {"openai": ("OR-17", "OR-20", "OR-27")},
    "gemini": {"google-genai": ("GM-G02", "GM-G03", "GM-G12", "GM-G19", "GM-G20", "GM-G22", "GM-G24", "GM-G25")},
    "mistral": {
        "mistral-common": (
            "MS-M01",
            "MS-M02",
            "MS-M03",
            "MS-M03b",
            "MS-M04",
            "MS-M05",
            "MS-M06",
            "MS-M06a",
            "MS-M06b",
            "MS-M06c",
            "MS-M07",
            "MS-M07a",
            "MS-M07b",
            "MS-M07c",
            "MS-M08",
            "MS-M09",
            "MS-M09a",
            "MS-M10",
            "MS-M11",
            "MS-M12",
            "MS-M13",
        )
    },
    "bedrock": {"botocore": ("BR-B04", "BR-B17", "BR-B24")},
    "pydantic_ai": {
        "pydantic-ai": (
            "PA-01",
            "PA-02",
            "PA-03",
            "PA-04",
            "PA-05",
            "PA-06",
            "PA-07",
            "PA-08",
            "PA-09",
            "PA-10",
            "PA-11",
            "PA-12",
            "PA-17",
            "PA-18",
        )
    },
    "portable": {"openai": ("P-14",), "templates": ("P-01", "P-02", "P-03", "P-04", "P-10", "P-11", "P-13")},
}
"""By dialect and oracle, the rules."""
