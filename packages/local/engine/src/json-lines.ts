/** JSON values one after the other, a line each, as engines report what goes on. Split anywhere on the way. */
import { EngineError } from "./engine.ts";

const longestLine = 1024 * 1024;

export async function* readJsonLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  const decoder = new TextDecoder();
  let pending = "";
  for await (const chunk of bytes) {
    pending += decoder.decode(chunk, { stream: true });
    const lines = pending.split("\n");
    pending = lines.pop() ?? "";
    if (pending.length > longestLine) throw new EngineError("the engine's report has a line without end", 0);
    for (const line of lines) if (line.trim()) yield parse(line);
  }
  pending += decoder.decode();
  if (pending.trim()) yield parse(pending);
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new EngineError("the engine's report is not JSON", 0, cause);
  }
}
