// Prints what GitHub Copilot CLI sends for a session file: its own schema of events, its own replay.
import { readFileSync } from "fs";
import { createCoreServices, LocalSession, SessionEventSchema } from "@github/copilot/sdk";

const rows = readFileSync(process.argv[2], "utf8").split("\n").filter((row) => row.trim());
const events = rows.map((row) => SessionEventSchema.parse(JSON.parse(row)));
const session = await LocalSession.fromEvents(events, createCoreServices({}), {});
console.log(JSON.stringify(await session.getChatMessages()));
process.exit(0);
