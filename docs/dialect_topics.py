"""What each rule of each dialect is about, for the table in dialects.md; a rule that is not named here is `other`."""

from __future__ import annotations

from typing import Final

__all__ = ["OTHER", "TOPICS", "topic_of"]

OTHER: Final = "other"

TOPICS: Final[dict[str, dict[str, str]]] = {
    "the list": {
        "anthropic": "A1 A16 A17 A18",
        "openai_chat": "OC-10 AZ-02 DS-14 KM-07",
        "openai_responses": "DS-17",
        "mistral": "MS-M01",
        "gemini": "GM-G01",
        "gemini_interactions": "GI-01",
        "pydantic_ai": "PA-17",
        "portable": "P-01",
    },
    "roles and turns": {
        "anthropic": "A2 A3 A4",
        "openai_chat": "DS-07 HF-01 HF-02 HF-05",
        "openai_responses": "OR-19 DS-18",
        "mistral": "M02 M03 M03a M13 M22",
        "bedrock": "B01 B02 B25",
        "gemini": "G05 G16",
        "gemini_interactions": "GI-10",
        "portable": "P-03 P-04",
    },
    "how the list ends": {
        "anthropic": "A15 B4",
        "openai_chat": "DS-08 HF-11 HF-12",
        "mistral": "M04 M05 M17 M20",
        "bedrock": "BR-B03",
        "gemini": "GM-G15",
        "gemini_interactions": "GI-09",
        "pydantic_ai": "PA-16 PA-18",
        "portable": "P-05",
    },
    "the system prompt": {
        "anthropic": "A5 A6 A7 A8 A9 A10 A11 A12 A14",
        "openai_chat": "OC-17 GW-02 HF-03 HF-04",
        "mistral": "MS-M03b",
        "portable": "P-02",
    },
    "calls and results": {
        "anthropic": "C1 C2 C3 C4 C5 C6 C10 C11 C19 C20 S7",
        "openai_chat": "OC-01 OC-02 OC-03 OC-04 OC-05 DS-01 DS-02 DS-03 DS-04 DS-05 KM-03 KM-04 QW-01 QW-02 QW-03 "
        "HF-06 HF-09 HF-13",
        "openai_responses": "OR-01 OR-02 OR-03 OR-04 OR-05 OR-24 DS-15 DS-16",
        "mistral": "M06 M06a M06b M06c M06d M21",
        "bedrock": "B06 B07 B08 B15 B30 B32",
        "gemini": "G06 G07 G08 G09 G23 G27",
        "gemini_interactions": "GI-03 GI-04",
        "pydantic_ai": "PA-12 PA-13 PA-14 PA-15",
        "portable": "P-08 P-09 P-11 P-14",
    },
    "ids": {
        "anthropic": "AN-C7",
        "openai_chat": "OC-06 OC-19",
        "openai_responses": "OR-10 OR-11 OR-12 OR-13 OR-14 OR-15",
        "mistral": "M07 M07a M07b M07c",
        "bedrock": "BR-B09",
        "gemini": "GM-G21",
        "portable": "P-10",
    },
    "names": {
        "anthropic": "AN-C8",
        "openai_chat": "OC-11 OC-12 OC-14 QW-05",
        "openai_responses": "OR-22 OR-28",
        "mistral": "MS-M08",
        "bedrock": "BR-B10",
        "gemini": "G17 G18",
        "gemini_interactions": "GI-12",
        "portable": "P-12",
    },
    "arguments": {
        "anthropic": "AN-C9",
        "openai_chat": "OC-13 QW-04 MM-01 GW-03 HF-07 HF-08 OL-03",
        "openai_responses": "HF-07",
        "mistral": "MS-M14",
        "bedrock": "BR-B12",
        "gemini": "GM-G20",
        "gemini_interactions": "GI-05",
        "portable": "P-13",
    },
    "what a result holds": {
        "anthropic": "C12 C13 C14 C15 C17 S8",
        "openai_chat": "OL-05",
        "openai_responses": "OR-25",
        "bedrock": "B13 B14 B16 B26",
        "gemini": "GM-G19",
        "gemini_interactions": "GI-06",
        "pydantic_ai": "PA-19",
    },
    "empty and absent content": {
        "anthropic": "B1 B2 B3 B5",
        "openai_chat": "OC-07 AZ-01 DS-06 KM-01 KM-02 XA-01 XA-02 GW-01 HF-10 OL-02",
        "openai_responses": "OR-20 OR-26",
        "mistral": "M09 M09a",
        "bedrock": "B04 B05",
        "gemini": "G02 G04",
        "gemini_interactions": "GI-07",
        "pydantic_ai": "PA-02",
        "portable": "P-07",
    },
    "the form of content": {
        "anthropic": "B6 B7 B8 B10",
        "openai_chat": "OC-08 OC-09 OC-18 AZ-03 DS-12 OL-01",
        "openai_responses": "OR-17 OR-18 OR-23 OR-27 OR-31 OR-32",
        "mistral": "M10 M12",
        "bedrock": "BR-B24",
        "gemini": "G03 G22",
        "gemini_interactions": "GI-02",
        "pydantic_ai": "PA-01 PA-03 PA-04 PA-05 PA-06 PA-07 PA-10 PA-11",
        "portable": "P-06 P-16",
    },
    "unwritable text": {
        "anthropic": "AN-B9",
        "openai_chat": "OC-20 OC-21",
        "openai_responses": "OC-20 OC-21",
        "mistral": "MS-M23",
        "bedrock": "BR-B29",
        "pydantic_ai": "PA-09",
        "portable": "P-17",
    },
    "media": {
        "anthropic": "M1 M2 M3 M4 M5 M6 M7 M8 M9 M10",
        "openai_chat": "OC-15 OC-16 DS-11 DS-13 KM-06 OL-04",
        "mistral": "MS-M11",
        "bedrock": "B17 B18 B19 B20 B21 B27 B28",
        "gemini": "GM-G24",
        "gemini_interactions": "GI-08 GI-13",
        "pydantic_ai": "PA-08",
        "portable": "P-15",
    },
    "thinking": {
        "anthropic": "T1 T2 T3 T4 T5 T6 T7 T8 T9 T10 T11 T12 T13",
        "openai_chat": "DS-09 DS-10 KM-05 GQ-01 GQ-02 CB-01",
        "openai_responses": "OR-06 OR-07 OR-08 OR-09 OR-16 OR-21",
        "mistral": "M16 M19",
        "bedrock": "BR-B23",
        "gemini": "G10 G11 G12 G13 G14",
        "gemini_interactions": "GI-11 GI-14",
        "pydantic_ai": "PA-20",
    },
    "server tools": {
        "anthropic": "S1 S2 S3 S4 S5 S6 S9 S10 S11 S12 S13",
        "gemini": "GM-G25",
        "openai_responses": "OR-33",
    },
    "cache marks": {
        "anthropic": "K1 K2 K3 K4",
        "bedrock": "BR-B22",
    },
    "the request around the list": {
        "anthropic": "A13 C16 C18",
        "openai_chat": "OT-01",
        "mistral": "M15 M18",
        "bedrock": "BR-B11",
        "gemini": "GM-G26",
        "gemini_interactions": "GI-15",
        "openai_responses": "OR-34 OR-35",
    },
}
"""By topic and dialect, the ids of the rules."""


def topic_of(dialect: str, rule: str) -> str:
    """Tell what a rule is about.

    Args:
        dialect: the name of its dialect.
        rule: its id.

    Returns:
        The topic.
    """
    return next((topic for topic, ids in TOPICS.items() if rule in ids.get(dialect, "").split()), OTHER)
