// Prints what pi sends for a session file: its own parsing, its own path, its own compaction.
import { readFileSync } from "fs";
import {
  buildSessionContext,
  convertToLlm,
  migrateSessionEntries,
  parseSessionEntries,
} from "@mariozechner/pi-coding-agent";

const entries = parseSessionEntries(readFileSync(process.argv[2], "utf8"));
migrateSessionEntries(entries);
const context = buildSessionContext(entries.filter((entry) => entry.type !== "session"));
console.log(JSON.stringify(convertToLlm(context.messages)));
