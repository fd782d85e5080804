export interface Command {
  /** Which benches to run; all that there are when none is named. */
  names: string[];
  json: boolean;
  quick: boolean;
}

/** What the user got wrong, in words for the user. */
export class UsageError extends Error {}

const usage = "npm run bench -- [name…] [--quick] [--json]";

export function parseCommandLine(args: readonly string[], known: readonly string[]): Command {
  const flags = args.filter((arg) => arg.startsWith("-"));
  const names = args.filter((arg) => !arg.startsWith("-"));
  for (const flag of flags) {
    if (flag !== "--json" && flag !== "--quick") {
      throw new UsageError(`unknown flag "${flag}"; there are --json and --quick: ${usage}`);
    }
  }
  for (const name of names) {
    if (!known.includes(name)) throw new UsageError(`unknown bench "${name}"; there is ${known.join(", ")}: ${usage}`);
  }
  return {
    names: names.length > 0 ? [...new Set(names)] : [...known],
    json: flags.includes("--json"),
    quick: flags.includes("--quick"),
  };
}
