// Talks to a model through the official OpenAI client, and prints what it sees.
import { createRequire } from "node:module";
const OpenAI = createRequire(process.env.CLIENTS)("openai").OpenAI;

const client = new OpenAI({ maxRetries: 0 });
const model = "gpt-4o-mini";
const ask = (content) => ({ model, messages: [{ role: "user", content }] });
const tools = [{
  type: "function",
  function: { name: "get_weather", parameters: { type: "object", properties: { city: { type: "string" } } } },
}];

const plain = await client.chat.completions.create(ask("hello"));
console.log("plain", plain.choices[0].message.content);

let chunks = 0, text = "";
for await (const part of await client.chat.completions.create({ ...ask("hello"), stream: true })) {
  chunks++;
  text += part.choices[0]?.delta?.content ?? "";
}
console.log("stream", chunks, text);

const called = await client.chat.completions.create({ ...ask("weather"), tools });
console.log("tools", JSON.stringify(called.choices[0].message.tool_calls[0].function));

let args = "";
for await (const part of await client.chat.completions.create({ ...ask("weather"), tools, stream: true })) {
  args += part.choices[0]?.delta?.tool_calls?.[0]?.function?.arguments ?? "";
}
console.log("streamed tools", args);
