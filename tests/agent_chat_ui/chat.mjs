// Chats as Agent Chat UI does: useStream, `messages` in, `interrupt` answered with `decisions`.
// Reads {"url", "context", "turns"} from standard input; a turn is a text or a list of decisions.
// Prints what a page would have shown after each turn.
import { readFileSync } from "node:fs";
import { createElement } from "react";
import { create } from "react-test-renderer";
import { useStream } from "@langchain/langgraph-sdk/react";

const { url, context, turns } = JSON.parse(readFileSync(0, "utf8"));
let stream;
let partial = [];

function Page() {
  stream = useStream({ apiUrl: url, assistantId: "hopyard", fetchStateHistory: true });
  const last = stream.messages.at(-1);
  if (stream.isLoading && last?.type === "ai") partial.push(last.content);
  return null;
}

const shown = (message) => [message.type, message.content];
const options = { context, streamMode: ["values"], streamSubgraphs: true, streamResumable: true };

function submit(turn) {
  if (Array.isArray(turn)) {
    return stream.submit({}, { ...options, command: { resume: { decisions: turn } } });
  }
  const message = { id: crypto.randomUUID(), type: "human", content: turn };
  const optimisticValues = (before) => ({
    ...before,
    messages: [...(before.messages ?? []), message],
  });
  return stream.submit({ messages: [message] }, { ...options, optimisticValues });
}

const pages = [];
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
create(createElement(Page));
while (!stream) await pause(10);
for (const turn of turns) {
  partial = [];
  await submit(turn);
  do await pause(50);
  while (stream.isLoading);
  pages.push({
    messages: stream.messages.map(shown),
    partial,
    interrupt: stream.interrupt?.value ?? null,
    error: stream.error ? String(stream.error) : null,
  });
}
console.log(JSON.stringify(pages));
process.exit(0);
