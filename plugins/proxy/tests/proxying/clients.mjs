// Sends conversations with an unmodified client: node clients.mjs CLIENT PROXY FILE; prints what came of each.
import { readFileSync } from "node:fs";

const [client, proxy, file] = process.argv.slice(2);
const conversations = JSON.parse(readFileSync(file, "utf8"));

async function sender() {
  if (client === "anthropic") {
    const { default: Anthropic } = await import("@anthropic-ai/sdk");
    const sdk = new Anthropic({ apiKey: "none", baseURL: `${proxy}/anthropic`, maxRetries: 0 });
    return (messages, stream) =>
      stream
        ? sdk.messages.stream({ model: "claude-haiku-4-5", max_tokens: 99, messages }).finalMessage()
        : sdk.messages.create({ model: "claude-haiku-4-5", max_tokens: 99, messages });
  }
  if (client === "openai" || client === "openai-responses") {
    const { default: OpenAI } = await import("openai");
    const sdk = new OpenAI({ apiKey: "none", baseURL: `${proxy}/openai/v1`, maxRetries: 0 });
    if (client === "openai-responses") return (input) => sdk.responses.create({ model: "gpt-5", input, store: false });
    return async (messages, stream) => {
      const answer = await sdk.chat.completions.create({ model: "gpt-4o", messages, stream });
      if (stream) for await (const chunk of answer) void chunk;
    };
  }
  const { generateText, streamText } = await import("ai");
  const { createOpenAI } = await import("@ai-sdk/openai");
  const { createAnthropic } = await import("@ai-sdk/anthropic");
  const model =
    client === "vercel-openai"
      ? createOpenAI({ apiKey: "none", baseURL: `${proxy}/openai/v1` }).chat("gpt-4o")
      : createAnthropic({ apiKey: "none", baseURL: `${proxy}/anthropic/v1` })("claude-haiku-4-5");
  return async (messages, stream) => {
    const given = { model, messages: messages.map(asModelMessage), maxRetries: 0 };
    if (!stream) return generateText(given);
    for await (const part of streamText({ ...given, onError() {} }).fullStream)
      if (part.type === "error") throw part.error;
  };
}

// The conversations are in the form of Chat Completions; `ai` has one of its own.
function asModelMessage(message) {
  if (message.role === "tool") {
    const output = { type: "text", value: message.content };
    return {
      role: "tool",
      content: [{ type: "tool-result", toolCallId: message.tool_call_id, toolName: "read", output }],
    };
  }
  if (!message.tool_calls) return { role: message.role, content: message.content };
  const calls = message.tool_calls.map((call) => ({
    type: "tool-call",
    toolCallId: call.id,
    toolName: call.function.name,
    input: JSON.parse(call.function.arguments),
  }));
  return { role: "assistant", content: calls };
}

const send = await sender();
const results = [];
for (const [number, versions] of conversations.entries()) {
  for (const messages of versions) {
    try {
      await send(messages, number % 2 === 1);
      results.push("ok");
    } catch (error) {
      // What a client refuses by itself never reaches a provider.
      results.push(error.status ?? error.statusCode ? `refused: ${error.message}` : `unsent: ${error.name} ${error.message}`);
    }
  }
}
console.log(JSON.stringify(results));
