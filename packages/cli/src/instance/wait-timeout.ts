/** `--wait-timeout`: how long a command waits for what it has asked for. */
import { durationToMs, ParseError, parseDuration, quoted } from "@berg/apimachinery";
import { Failure } from "./failure.ts";

export interface WaitOptions {
  waitTimeout?: string;
}

/** Undefined where nothing is said: as long as it takes. */
export function waitMs({ waitTimeout: text }: WaitOptions): number | undefined {
  if (text === undefined) return undefined;
  const ms = milliseconds(text);
  if (ms !== undefined && ms > 0) return ms;
  throw new Failure(`--wait-timeout: ${quoted(text)} is no time to wait: write one such as 30s or 5m`, 2);
}

function milliseconds(text: string): number | undefined {
  try {
    return durationToMs(parseDuration(text));
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
}
