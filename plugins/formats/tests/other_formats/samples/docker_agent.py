from __future__ import annotations

from tests.formats.story import CHAT, Sample, value

DOCKER_AGENT = [{"message": {"agentName": "root", "message": each}} for each in CHAT]
SAMPLES = (Sample("docker-agent", value({"id": "s", "title": "A file", "messages": DOCKER_AGENT, "cost": 0.1})),)
