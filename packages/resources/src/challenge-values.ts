/** Values that an author may write in several ways, each brought into one form. */
import type { EnvironmentValue, FileMode } from "./challenge.ts";

/** `fileModeBits("0444")`, `fileModeBits("0o444")` and `fileModeBits(292)` are all 292. */
export function fileModeBits(mode: FileMode): number {
  return typeof mode === "number" ? mode : Number.parseInt(mode.replace(/^0o/, ""), 8);
}

/** `environmentText(8080)` is `"8080"`; an empty entry (`DEBUG:`) is an empty text. */
export function environmentText(value: EnvironmentValue): string {
  return value === null ? "" : String(value);
}

/** `transportProtocol("tcp")` is `"TCP"`, as Services want it. */
export function transportProtocol(protocol: string): "TCP" | "UDP" {
  return protocol.toUpperCase() === "UDP" ? "UDP" : "TCP";
}
