/** `berg up`: everything of Berg on one machine, in one process. */
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { errorText, runProcess, systemClock } from "@berg/kube";
import { createLog, tellingOfTheEnd } from "../log.ts";
import { version } from "../version.ts";
import type { RunningWeb } from "./berg.ts";
import { greeting, type PrintedLinks, signInLines } from "./greeting.ts";
import { Progress } from "./progress.ts";
import { startUp, type UpOptions } from "./start-up.ts";

/** Runs until it is told to stop. What is said on the way is for people; trouble is logged as elsewhere. */
export async function runUp(options: UpOptions): Promise<void> {
  const log = createLog("warn");
  const write = (text: string) => void process.stdout.write(text);
  // Whoever closes the terminal, or reads no further, means the rest to stop in order.
  process.on("SIGHUP", () => process.kill(process.pid, "SIGTERM"));
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  await runProcess(tellingOfTheEnd(process.stderr), async (stop) => {
    const progress = new Progress(systemClock, write);
    const starting = startUp(options, { progress, log, signal: stop, env: process.env });
    await using up = await starting.catch((error) => {
      const first = firstOf(error);
      if (first !== stop.reason) throw first;
      return undefined;
    });
    // Told to stop before it was there: that is no trouble.
    if (!up) return write("\nStopped.\n");
    const { berg, node, apiServer, directory } = up;
    const web = berg?.web;
    write(
      greeting({
        version,
        elapsed: progress.elapsed,
        apiServer: apiServer.url,
        directory,
        nodes: node.what,
        ...(berg && { challenges: berg.challenges }),
        ...(web && { web: { ...web, links: await printableLinks(web, directory) } }),
        samples: berg?.samples ?? [],
        limitations: node.limitations,
      }),
    );
    const endInput = web ? printLinksOnEnter(web, write) : () => {};
    const stopped = new Promise<void>((done) => stop.addEventListener("abort", () => done(), { once: true }));
    await Promise.race([stopped, up.failed]).finally(endInput);
    if (stop.aborted) write("\nStopping.\n");
  });
}

const canRenew = process.stdin.isTTY && process.stdout.isTTY;

/** On a terminal the links themselves; otherwise the name of a file, which only its owner can read. */
async function printableLinks(web: RunningWeb, directory: string): Promise<PrintedLinks> {
  const links = await web.newLinks();
  if (process.stdout.isTTY) return { links, canRenew };
  const file = join(directory, "sign-in-links");
  const { player, admin } = links;
  await rm(file, { force: true });
  await writeFile(file, `player  ${player}\nadmin   ${admin}\n`, { mode: 0o600 });
  return { file };
}

function printLinksOnEnter(web: RunningWeb, write: (text: string) => void): () => void {
  if (!canRenew) return () => {};
  const lines = createInterface({ input: process.stdin });
  lines.on("line", () => {
    web.newLinks().then(
      (links) => write(`\n${signInLines({ links, canRenew }).join("\n")}\n`),
      (error) => write(`\ncannot create links: ${errorText(error)}\n`),
    );
  });
  return () => lines.close();
}

/** What went wrong first: what goes wrong while everything stops comes of it. */
export function firstOf(error: unknown): unknown {
  return error instanceof SuppressedError ? firstOf(error.suppressed) : error;
}
