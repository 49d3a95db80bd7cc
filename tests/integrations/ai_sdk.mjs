// Prints messages with approvals as the AI SDK itself makes them, for the interface and for models: a call that waits, is
// approved, denied, answered, and refused. The model is a mock of the SDK.
import { streamText, tool, readUIMessageStream, convertToModelMessages, simulateReadableStream, jsonSchema, stepCountIs } from "ai";
import { MockLanguageModelV3 } from "ai/test";

const usage = { inputTokens: { total: 1, noCache: 1 }, outputTokens: { total: 1, text: 1 } };
const finish = (reason) => ({ type: "finish", finishReason: { unified: reason, raw: reason }, usage });
const call = { type: "tool-call", toolCallId: "call_1", toolName: "pay", input: JSON.stringify({ amount: 5 }) };
const words = [{ type: "text-start", id: "0" }, { type: "text-delta", id: "0", delta: "Done." }, { type: "text-end", id: "0" }];
const replies = (first) => new MockLanguageModelV3({
  doStream: async () => ({ stream: simulateReadableStream({ chunks: first ? [call, finish("tool-calls")] : [...words, finish("stop")] }) }),
});
const tools = { pay: tool({ inputSchema: jsonSchema({ type: "object", properties: { amount: { type: "number" } } }), needsApproval: true, execute: async () => "paid" }) };

async function turn(messages, first) {
  const run = streamText({ model: replies(first), tools, messages: await convertToModelMessages(messages, { tools }), stopWhen: stepCountIs(3) });
  const last = messages.at(-1);
  let newest;
  for await (const message of readUIMessageStream({ message: last.role === "assistant" ? last : undefined, stream: run.toUIMessageStream({ originalMessages: messages, generateMessageId: () => "2" }) })) newest = message;
  return [...messages.filter((each) => each.role === "user"), newest];
}
const decided = (messages, approved, reason) => messages.map((message) => ({
  ...message,
  parts: message.parts.map((part) => part.state === "approval-requested" ? { ...part, state: "approval-responded", approval: { ...part.approval, approved, reason } } : part),
}));

const user = { id: "1", role: "user", parts: [{ type: "text", text: "Pay." }] };
const waiting = await turn([user], true);
const approved = decided(waiting, true), denied = decided(waiting, false, "Too much.");
const found = { waiting, approved, denied, answered: await turn(structuredClone(approved), false), refused: await turn(structuredClone(denied), false) };
for (const name of Object.keys(found)) found[`${name} for models`] = await convertToModelMessages(found[name], { tools });
console.log(JSON.stringify(found));
