// Talks to a model through the official Anthropic client, and prints what it sees.
import { createRequire } from "node:module";
const Anthropic = createRequire(process.env.CLIENTS)("@anthropic-ai/sdk").Anthropic;

const client = new Anthropic({ maxRetries: 0 });
const ask = (content) => ({ model: "claude-sonnet-4-5", max_tokens: 100, messages: [{ role: "user", content }] });
const tools = [{ name: "get_weather", input_schema: { type: "object", properties: { city: { type: "string" } } } }];

const plain = await client.messages.create(ask("hello"));
console.log("plain", plain.content[0].text);

let events = 0, text = "";
for await (const event of await client.messages.create({ ...ask("hello"), stream: true })) {
  events++;
  if (event.type === "content_block_delta") text += event.delta.text;
}
console.log("stream", events, text);

const called = await client.messages.create({ ...ask("weather"), tools });
console.log("tools", JSON.stringify(called.content.find((block) => block.type === "tool_use").input));

const final = await client.messages.stream({ ...ask("weather"), tools }).finalMessage();
console.log("streamed tools", JSON.stringify(final.content.find((block) => block.type === "tool_use").input));
