/** Plays a script against two servers in a namespace of its own, step by step, until their answers differ. */
import { setTimeout as delay } from "node:timers/promises";
import type { Asking } from "../contract/wire.ts";
import { type Difference, differencesOf } from "./compare.ts";
import { type Masked, Masks } from "./masks.ts";
import { Seen } from "./seen.ts";
import type { Server } from "./servers.ts";
import type { Step } from "./step.ts";

export interface Found {
  readonly steps: readonly Step[];
  /** The place in `steps` of the one that was answered differently. */
  readonly at: number;
  readonly step: Step;
  readonly real: Masked;
  readonly ours: Masked;
  readonly differences: readonly Difference[];
}

/** What one server has been told and has answered. */
interface Side {
  readonly server: Server;
  readonly seen: Seen;
  readonly masks: Masks;
}

/** A cache of the real server may be a moment behind, and some requests are answered from it. */
const cacheDelayMs = 60;
let plays = 0;

export async function play(servers: readonly [Server, Server], steps: readonly Step[]): Promise<Found | undefined> {
  const namespace = `play-${(plays++).toString().padStart(6, "0")}`;
  const sides = servers.map(
    (server): Side => ({ server, seen: new Seen(namespace), masks: new Masks(namespace, Date.now) }),
  ) as [Side, Side];
  await Promise.all(sides.map((side) => prepare(side, namespace)));
  try {
    for (const [at, step] of steps.entries()) {
      const [real, ours] = await Promise.all([answer(sides[0], step, at), answer(sides[1], step, at)]);
      const differences = [
        ...differencesOf(real, ours),
        ...differencesOf(sides[0].masks.versionOrder(), sides[1].masks.versionOrder(), "order of versions"),
      ];
      if (differences.length > 0) return { steps, at, step, real, ours, differences };
    }
    return undefined;
  } finally {
    await Promise.all(sides.map((side) => leaveNothing(side.server, namespace)));
  }
}

async function prepare({ server, seen }: Side, namespace: string): Promise<void> {
  const metadata = { name: namespace, labels: { play: namespace } };
  const made = await server.ask("POST", "/api/v1/namespaces", { body: { metadata } });
  if (made.code !== 201) throw new Error(`no namespace from the ${server.name} server: ${made.text}`);
  seen.learn("namespaces", made.body);
  // Without a controller nobody makes the account that each pod needs.
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  await server.ask("POST", accounts, { body: { metadata: { name: "default" } } });
}

async function answer({ server, seen, masks }: Side, step: Step, at: number): Promise<Masked> {
  const { path, body } = seen.filledIn(step, at);
  const asking: Asking = {
    ...(body !== undefined && { body: body as Asking["body"] }),
    ...(step.type !== undefined && { type: step.type }),
    ...(step.accept !== undefined && { accept: step.accept }),
  };
  if (/[?&]resourceVersion=|watch=/.test(path)) await delay(cacheDelayMs);
  const answered = await server.ask(step.method, path, asking);
  const masked = masks.masked(answered);
  seen.learn(resourceIn(step.path), answered.body);
  return masked;
}

/** `/apis/apps/v1/namespaces/{ns}/deployments/a/scale` is about `deployments`. */
export function resourceIn(path: string): string {
  const [place = ""] = path.split("?");
  const segments = place.split("/").slice(place.startsWith("/api/") ? 3 : 4);
  return (
    segments[0] === "namespaces" && segments.length > 2 && segments[2] !== "finalize" && segments[2] !== "status"
      ? segments[2]
      : segments[0]
  ) as string;
}

/** Addresses and ports are handed out of one pool to all plays. */
async function leaveNothing(server: Server, namespace: string): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/services`;
  const { body } = await server.ask("GET", path);
  for (const { metadata } of body?.items ?? []) {
    if (metadata.finalizers) {
      const patch = { body: { metadata: { finalizers: null } }, type: "application/merge-patch+json" };
      await server.ask("PATCH", `${path}/${metadata.name}`, patch);
    }
    await server.ask("DELETE", `${path}/${metadata.name}`);
  }
}
