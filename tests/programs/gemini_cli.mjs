// Prints what Gemini CLI sends again when it resumes a chat.
import { pathToFileURL } from "url";
import { createRequire } from "module";
import { dirname, join } from "path";

const main = createRequire(import.meta.url).resolve("@google/gemini-cli-core");
const within = (...way) => pathToFileURL(join(dirname(main), ...way)).href;
const { loadConversationRecord } = await import(within("src", "services", "chatRecordingService.js"));
const { convertSessionToClientHistory } = await import(within("src", "utils", "sessionUtils.js"));
const record = await loadConversationRecord(process.argv[2]);
console.log(JSON.stringify(convertSessionToClientHistory(record.messages).map((turn) => turn.content ?? turn)));
