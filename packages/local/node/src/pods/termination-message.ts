/** What a container wants to be known for after its end: a file that it wrote, or else the end of its log. */
import { open } from "node:fs/promises";
import type { Engine, Container as EngineContainer } from "@berg/local-engine";

const longestFile = 4096;
const longestLog = 2048;
const longestLogLines = 80;

export interface MessageSource {
  /** Of ours, on the host. */
  file: string;
  policy: string | undefined;
}

export async function terminationMessage(
  engine: Engine,
  { id, state }: EngineContainer,
  { file, policy }: MessageSource,
): Promise<string | undefined> {
  const written = await beginning(file);
  if (written) return written;
  if (policy !== "FallbackToLogsOnError" || state.exitCode === 0) return undefined;
  const chunks: Uint8Array[] = [];
  try {
    const log = engine.containerLogs(id, { follow: false, timestamps: false, tail: longestLogLines });
    for await (const { bytes } of log) chunks.push(bytes);
  } catch {
    // It ended; that its log cannot be had is not why.
    return undefined;
  }
  return Buffer.concat(chunks).subarray(-longestLog).toString() || undefined;
}

/** The container's own work: it may be as long as it likes, and a link to anywhere. Only a file of ours is read. */
async function beginning(path: string): Promise<string> {
  try {
    await using file = await open(path, "r");
    const { buffer, bytesRead } = await file.read(Buffer.alloc(longestFile), 0, longestFile, 0);
    return buffer.subarray(0, bytesRead).toString();
  } catch {
    return "";
  }
}
