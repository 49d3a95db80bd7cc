"""What each rule of each dialect is about, for the table in dialects.md; a rule that is not named here is `other`.

Where neighbouring topics are both right, a rule has the one that its page puts it under, and others beside it.
"""

from __future__ import annotations

from typing import Final

__all__ = ["NEIGHBOURS", "OTHER", "TOPICS", "topic_of", "topics_of"]

OTHER: Final = "other"

TOPICS: Final[dict[str, dict[str, str]]] = {
    "the list": {
        "anthropic": "AN-A1 AN-A16 AN-A17 AN-A18",
        "openai_chat": "OC-10 AZ-02 DS-14 KM-07",
        "openai_responses": "DS-17",
        "mistral": "MS-M01",
        "gemini": "GM-G01",
        "gemini_interactions": "GI-01",
        "pydantic_ai": "PA-17",
        "portable": "P-01",
    },
    "roles and turns": {
        "anthropic": "AN-A2 AN-A3 AN-A4",
        "openai_chat": "DS-07 HF-01 HF-02 HF-05 PX-01 OL-06 GL-01 DS-19 GL-03 MI-01 MI-09 CO-03",
        "openai_responses": "OR-19 DS-18",
        "mistral": "MS-M02 MS-M03 MS-M03a MS-M13 MS-M22",
        "bedrock": "BR-B01 BR-B02 BR-B25",
        "gemini": "GM-G05 GM-G16",
        "gemini_interactions": "GI-10",
        "portable": "P-03 P-04",
        "native": "NA-L1 NA-L2",
    },
    "how the list ends": {
        "anthropic": "AN-A15 AN-B4",
        "openai_chat": "DS-08 HF-11 HF-12 OT-02 PX-02 MI-06",
        "mistral": "MS-M04 MS-M05 MS-M17 MS-M20",
        "bedrock": "BR-B03",
        "gemini": "GM-G15",
        "gemini_interactions": "GI-09",
        "pydantic_ai": "PA-16 PA-18",
        "portable": "P-05",
    },
    "the system prompt": {
        "anthropic": "AN-A5 AN-A6 AN-A7 AN-A8 AN-A9 AN-A10 AN-A11 AN-A12 AN-A14",
        "openai_chat": "OC-17 GW-02 HF-03 HF-04 MM-03",
        "mistral": "MS-M03b",
        "portable": "P-02",
    },
    "calls and results": {
        "anthropic": "AN-C1 AN-C2 AN-C3 AN-C4 AN-C5 AN-C6 AN-C10 AN-C11 AN-C19 AN-C20 AN-S7",
        "openai_chat": "OC-01 OC-02 OC-03 OC-04 OC-05 DS-01 DS-02 DS-03 DS-04 DS-05 KM-03 KM-04 QW-01 QW-02 QW-03 "
        "HF-06 HF-09 HF-13 MM-02 CO-01 MI-02 MI-03",
        "openai_responses": "OR-01 OR-02 OR-03 OR-04 OR-05 OR-24 DS-15 DS-16 OR-37",
        "mistral": "MS-M06 MS-M06a MS-M06b MS-M06c MS-M06d MS-M21",
        "bedrock": "BR-B06 BR-B07 BR-B08 BR-B15 BR-B30 BR-B32",
        "gemini": "GM-G06 GM-G07 GM-G08 GM-G09 GM-G23 GM-G27",
        "gemini_interactions": "GI-03 GI-04",
        "pydantic_ai": "PA-12 PA-13 PA-14 PA-15",
        "portable": "P-08 P-09 P-11 P-14",
        "native": "NA-L3",
    },
    "ids": {
        "anthropic": "AN-C7",
        "openai_chat": "OC-06 OC-19 MI-04",
        "openai_responses": "OR-10 OR-11 OR-12 OR-13 OR-14 OR-15",
        "mistral": "MS-M07 MS-M07a MS-M07b MS-M07c",
        "bedrock": "BR-B09",
        "gemini": "GM-G21",
        "portable": "P-10",
    },
    "names": {
        "anthropic": "AN-C8",
        "openai_chat": "OC-11 OC-12 OC-14 QW-05 OC-24 MI-07",
        "openai_responses": "OR-22 OR-28",
        "mistral": "MS-M08",
        "bedrock": "BR-B10",
        "gemini": "GM-G17 GM-G18",
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
        "anthropic": "AN-C12 AN-C13 AN-C14 AN-C15 AN-C17 AN-S8",
        "openai_chat": "OL-05",
        "openai_responses": "OR-25",
        "bedrock": "BR-B13 BR-B14 BR-B16 BR-B26",
        "gemini": "GM-G19",
        "gemini_interactions": "GI-06",
        "pydantic_ai": "PA-19",
    },
    "empty and absent content": {
        "anthropic": "AN-B1 AN-B2 AN-B3 AN-B5",
        "openai_chat": "OC-07 AZ-01 DS-06 KM-01 KM-02 XA-01 XA-02 GW-01 HF-10 OL-02 VE-01 CO-02 MI-05",
        "openai_responses": "OR-20 OR-26",
        "mistral": "MS-M09 MS-M09a",
        "bedrock": "BR-B04 BR-B05",
        "gemini": "GM-G02 GM-G04",
        "gemini_interactions": "GI-07",
        "pydantic_ai": "PA-02",
        "portable": "P-07",
        "native": "NA-L4",
    },
    "the form of content": {
        "anthropic": "AN-B6 AN-B7 AN-B8 AN-B10",
        "openai_chat": "OC-08 OC-09 OC-18 AZ-03 DS-12 OL-01 VX-01 GL-02 XA-04 MI-08",
        "openai_responses": "OR-17 OR-18 OR-23 OR-27 OR-31 OR-32",
        "mistral": "MS-M10 MS-M12",
        "bedrock": "BR-B24",
        "gemini": "GM-G03 GM-G22",
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
        "anthropic": "AN-M1 AN-M2 AN-M3 AN-M4 AN-M5 AN-M6 AN-M7 AN-M8 AN-M9 AN-M10 AN-M11 AN-M12",
        "openai_chat": "OC-15 OC-16 DS-11 DS-13 KM-06 OL-04 OC-22 OC-23 OC-25 OC-26 GQ-03 XA-03",
        "mistral": "MS-M11 MS-M24 MS-M25",
        "bedrock": "BR-B17 BR-B18 BR-B19 BR-B20 BR-B21 BR-B27 BR-B28 BR-B31",
        "gemini": "GM-G24 GM-G28 GM-G29",
        "gemini_interactions": "GI-08 GI-13",
        "pydantic_ai": "PA-08",
        "portable": "P-15 P-18",
        "openai_responses": "OR-29 OR-30 OR-38 OR-39 OR-40",
    },
    "thinking": {
        "anthropic": "AN-T1 AN-T2 AN-T3 AN-T4 AN-T5 AN-T6 AN-T7 AN-T8 AN-T9 AN-T10 AN-T11 AN-T12 AN-T13",
        "openai_chat": "DS-09 DS-10 KM-05 GQ-01 GQ-02 CB-01 OT-03",
        "openai_responses": "OR-06 OR-07 OR-08 OR-09 OR-16 OR-21",
        "mistral": "MS-M16 MS-M19",
        "bedrock": "BR-B23",
        "gemini": "GM-G10 GM-G11 GM-G12 GM-G13 GM-G14",
        "gemini_interactions": "GI-11 GI-14",
        "pydantic_ai": "PA-20",
    },
    "server tools": {
        "anthropic": "AN-S1 AN-S2 AN-S3 AN-S4 AN-S5 AN-S6 AN-S9 AN-S10 AN-S11 AN-S12 AN-S13",
        "gemini": "GM-G25",
        "openai_responses": "OR-33 OR-36",
    },
    "cache marks": {
        "anthropic": "AN-K1 AN-K2 AN-K3 AN-K4",
        "bedrock": "BR-B22",
    },
    "kept state": {
        "openai_responses": "OR-34 OR-35",
    },
    "the request around the list": {
        "anthropic": "AN-A13 AN-C16 AN-C18",
        "openai_chat": "OT-01",
        "mistral": "MS-M15 MS-M18",
        "bedrock": "BR-B11",
        "gemini": "GM-G26",
        "gemini_interactions": "GI-15",
    },
}
"""By topic and dialect, the ids of the rules."""

NEIGHBOURS: Final[dict[str, dict[str, str]]] = {
    "roles and turns": {
        "anthropic": "AN-A6 AN-A7 AN-A9",
        "openai_chat": "OC-17 GW-02",
        "mistral": "MS-M03b MS-M17",
    },
    "the system prompt": {
        "anthropic": "AN-A4",
        "openai_chat": "DS-19",
    },
    "calls and results": {
        "openai_chat": "OC-19 CO-02 CO-03",
        "mistral": "MS-M03 MS-M03a",
    },
    "ids": {
        "anthropic": "AN-C6",
        "openai_chat": "OC-03 DS-04 KM-04",
        "openai_responses": "OR-09 DS-16",
        "mistral": "MS-M06a MS-M06b MS-M06c MS-M22",
        "bedrock": "BR-B08",
    },
    "what a result holds": {
        "openai_chat": "OC-15",
        "bedrock": "BR-B12",
    },
    "empty and absent content": {
        "anthropic": "AN-C12 AN-K2",
        "bedrock": "BR-B13 BR-B19",
        "gemini": "GM-G03",
    },
    "the form of content": {
        "anthropic": "AN-B5",
        "openai_chat": "OC-07 OC-16 AZ-01 DS-11 GQ-01 CB-01 HF-10 KM-06 GW-01",
        "openai_responses": "OR-20 OR-26",
        "mistral": "MS-M09 MS-M13",
        "gemini": "GM-G21",
    },
    "media": {
        "openai_responses": "OR-18",
        "bedrock": "BR-B16",
    },
    "kept state": {
        "openai_responses": "OR-09 OR-10",
    },
}
"""The same for what a rule is about as well: its texts are reported for both."""


def topic_of(dialect: str, rule: str) -> str:
    """Tell what a rule is about.

    Args:
        dialect: the name of its dialect.
        rule: its id.

    Returns:
        The topic.
    """
    return next((topic for topic, ids in TOPICS.items() if rule in ids.get(dialect, "").split()), OTHER)


def topics_of(dialect: str, rule: str) -> tuple[str, ...]:
    """Tell all that a rule is about.

    Args:
        dialect: the name of its dialect.
        rule: its id.

    Returns:
        The topic, and its neighbours.
    """
    beside = (topic for topic, ids in NEIGHBOURS.items() if rule in ids.get(dialect, "").split())
    return (topic_of(dialect, rule), *beside)
