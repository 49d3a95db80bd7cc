from __future__ import annotations

from tests.formats.story import ANSWER, CHAT, QUESTION, TALK, Sample, lines, value

TAVERN = (
    {"user_name": "You", "character_name": "Ada", "create_date": "2026-01-02@03h04m05s", "chat_metadata": {}},
    {"name": "You", "is_user": True, "is_system": False, "send_date": "d", "mes": QUESTION, "extra": {}},
    {"name": "You", "is_user": False, "is_system": True, "mes": "Only shown.", "extra": {}},
    {"name": "Ada", "is_user": False, "is_system": False, "mes": ANSWER, "swipes": ["No.", ANSWER], "swipe_id": 1},
)
TEXTGEN = {
    "internal": [["<|BEGIN-VISIBLE-CHAT|>", ""], [QUESTION, ANSWER]],
    "visible": [["", ""], [QUESTION, ANSWER]],
}
TYPING = {"data": {"chats": [{"id": "c", "chatTitle": "A file", "model": "m", "messages": CHAT}], "folders": []}}
STUDIO = {
    "runSettings": {"model": "models/gemini-2.5-pro"},
    "systemInstruction": {},
    "chunkedPrompt": {
        "chunks": [
            {"text": QUESTION, "role": "user", "tokenCount": 8},
            {"text": "I should read.", "role": "model", "isThought": True},
            {"text": ANSWER, "role": "model", "finishReason": "STOP"},
        ],
        "pendingInputs": [],
    },
}
SAMPLES = (
    Sample("sillytavern", lines(*TAVERN), TALK),
    Sample("text-generation-webui", value(TEXTGEN), TALK),
    Sample("typingmind", value(TYPING)),
    Sample("ai-studio", value(STUDIO), TALK),
)
