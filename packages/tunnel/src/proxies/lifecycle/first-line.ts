/** The line with which a client proxy says where it listens, and by which certificate it is known. */
import { type Clock, sleep } from "@berg/kube";
import type { Engine } from "@berg/local-engine";

export interface ClientGreeting {
  /** PEM. */
  readonly certificate: string;
  readonly controlPort: number;
  readonly dataPort: number;
  readonly managementAddress: string;
}

const withinMs = 60_000;
/** A certificate has about 1 KiB. */
const longestLine = 64 * 1024;
const lastWords = 2_000;

export async function readGreeting(
  { engine, clock }: { engine: Pick<Engine, "containerLogs">; clock: Clock },
  containerId: string,
  signal: AbortSignal,
): Promise<ClientGreeting> {
  const over = new AbortController();
  const ending = AbortSignal.any([signal, over.signal]);
  const late = sleep(clock, withinMs, ending).then(() =>
    over.abort(new Error(`it said nothing for ${withinMs / 1000} s`)),
  );
  late.catch(() => {});
  let said = "";
  let complaints = "";
  try {
    for await (const { stream, bytes } of engine.containerLogs(
      containerId,
      { follow: true, timestamps: false },
      ending,
    )) {
      const text = Buffer.from(bytes).toString();
      if (stream === "stderr") complaints = (complaints + text).slice(-lastWords);
      else said += text;
      const end = said.indexOf("\n");
      if (end >= 0) return parseGreeting(said.slice(0, end));
      if (said.length > longestLine) throw new Error("what it said has no end");
    }
    throw new Error("it has ended");
  } catch (error) {
    signal.throwIfAborted();
    const why = over.signal.aborted ? over.signal.reason : error;
    const words = complaints.trim() ? `; its last words: ${complaints.trim()}` : "";
    throw new Error(`the client proxy did not say where it listens: ${(why as Error).message}${words}`, {
      cause: error,
    });
  } finally {
    over.abort();
  }
}

export function parseGreeting(line: string): ClientGreeting {
  const { certificate, controlPort, dataPort, managementAddress } = fieldsOf(line);
  const isPort = (value: unknown): value is number => Number.isInteger(value) && Number(value) > 0;
  if (typeof certificate !== "string" || typeof managementAddress !== "string")
    throw new Error("its first line lacks its certificate or its address");
  if (!isPort(controlPort) || !isPort(dataPort)) throw new Error("its first line lacks its ports");
  return { certificate, controlPort, dataPort, managementAddress };
}

function fieldsOf(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch {}
  throw new Error("its first line is not a JSON object");
}
