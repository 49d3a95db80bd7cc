// Prints what OpenClaw takes of a session file: its own parsing, its own path, its own compaction.
import { readFileSync } from "fs";
import { buildSessionContext, migrateSessionEntries, parseSessionEntries } from "openclaw/plugin-sdk/agent-sessions";

const entries = parseSessionEntries(readFileSync(process.argv[2], "utf8"));
migrateSessionEntries(entries);
const { messages } = buildSessionContext(entries.filter((entry) => entry.type !== "session"));
console.log(JSON.stringify(messages));
process.exit(0);
