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
        "anthropic": ("A4", "A10", "A11", "B5", "B6", "B7", "B8", "B10", "C9", "C14", "T5", "S4", "K3", "M5", "M7")
    },
    "openai_chat": {
        "openai": ("OC-08", "OC-09", "OC-13", "OC-15", "OC-16", "OC-18", "DS-12", "KM-06", "HF-13"),
        "templates": ("OC-10", "HF-01", "HF-02", "HF-03", "HF-04", "HF-05", "HF-06", "HF-07", "HF-08", "HF-10"),
    },
    "openai_responses": {"openai": ("OR-17", "OR-20", "OR-27")},
    "gemini": {"google-genai": ("G02", "G03", "G12", "G19", "G20", "G22", "G24", "G25")},
    "mistral": {
        "mistral-common": (
            "M01",
            "M02",
            "M03",
            "M03b",
            "M04",
            "M05",
            "M06",
            "M06a",
            "M06b",
            "M06c",
            "M07",
            "M07a",
            "M07b",
            "M07c",
            "M08",
            "M09",
            "M09a",
            "M10",
            "M11",
            "M12",
            "M13",
        )
    },
    "bedrock": {"botocore": ("B04", "B17", "B24")},
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
