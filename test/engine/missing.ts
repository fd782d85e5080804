import { findCommand } from "../node/missing.ts";

/** Why this engine cannot run here, or nothing. `commands`: command → Debian package that has it. */
export function missingPackages(
  engine: string,
  commands: Readonly<Record<string, string>>,
  alsoMissing: readonly string[] = [],
): string | undefined {
  if (process.platform !== "linux") return `${engine} runs on Linux alone`;
  if (process.getuid?.() !== 0) return `only root can run ${engine} for tests`;
  const lacking = Object.keys(commands).filter((name) => !findCommand(name));
  const packages = new Set([...lacking.map((name) => commands[name]), ...alsoMissing]);
  if (packages.size === 0) return undefined;
  return `this machine lacks what ${engine} needs: apt-get install ${[...packages].join(" ")}`;
}
