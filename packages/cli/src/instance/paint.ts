import { styleText } from "node:util";
import type { Output } from "./surroundings.ts";

export type Style = "bold" | "dim" | "green" | "yellow" | "red";
export type Paint = (style: Style, text: string) => string;

export const plain: Paint = (_, text) => text;

/** Colours where somebody looks on and wants them (https://no-color.org). */
export function paintFor(output: Output, env: NodeJS.ProcessEnv): Paint {
  if (!isTerminal(output, env) || env.NO_COLOR) return plain;
  return (style, text) => styleText(style, text, { validateStream: false });
}

/** Whether a line can be written over. */
export function isTerminal(output: Output, env: NodeJS.ProcessEnv): boolean {
  return output.isTTY === true && env.TERM !== "dumb";
}
