/** What stands before a line of a log: whose it is, each container's in a colour of its own. */
import { styleText } from "node:util";
import { type Paint, plain } from "../instance/paint.ts";

const colours = ["cyan", "magenta", "blue", "green", "yellow"] as const;

/** `paint`: whether there are colours at all. */
export function prefixes(paint: Paint): (container: string) => string {
  const known = new Map<string, (typeof colours)[number]>();
  return (container) => {
    if (paint === plain) return `${container} |`;
    const colour = known.get(container) ?? colours[known.size % colours.length] ?? "cyan";
    known.set(container, colour);
    return styleText(colour, `${container} |`, { validateStream: false });
  };
}
