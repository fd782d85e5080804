/** Plays the scripts of a seed, several at once since most of the time is waiting, and makes what it finds small. */

import { knownReason } from "./differences.ts";
import { scriptOf } from "./generate/scripts.ts";
import { gadgetDefinition } from "./kinds/index.ts";
import type { Masked } from "./masks.ts";
import { type Found, play } from "./play.ts";
import type { Server } from "./servers.ts";
import { shrink } from "./shrink.ts";
import type { Step } from "./step.ts";

export interface RunOptions {
  readonly seed: number;
  /** Whether another script shall be played. */
  goesOn(played: number): boolean;
  /** Called for each difference that is new in this run, made small. */
  found?(found: Found): void;
}

export interface RunResult {
  played: number;
  steps: number;
  found: Found[];
  /** How often each known difference was met. */
  known: Map<string, number>;
}

const atOnce = 8;

/** Both servers learn of the custom kind once. */
export async function prepare(servers: readonly Server[]): Promise<void> {
  for (const { name, ask } of servers) {
    const made = await ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
      body: gadgetDefinition,
    });
    if (made.code !== 201) throw new Error(`no custom kind from the ${name} server: ${made.text}`);
    const body = { apiVersion: "play.berg.test/v1", kind: "Gadget", metadata: { name: "probe" }, spec: {} };
    const path = "/apis/play.berg.test/v1/namespaces/default/gadgets?dryRun=All";
    let isServed = 0;
    for (let attempt = 0; attempt < 200 && isServed < 5; attempt++) {
      const { code } = await ask("POST", path, { body });
      isServed = code === 201 ? isServed + 1 : 0;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    if (isServed < 5) throw new Error(`the ${name} server does not serve the custom kind`);
  }
}

export async function run(servers: readonly [Server, Server], options: RunOptions): Promise<RunResult> {
  const result: RunResult = { played: 0, steps: 0, found: [], known: new Map() };
  const isNew = async (steps: readonly Step[]) => {
    const found = await play(servers, steps);
    const reason = found && knownReason(found);
    if (reason !== undefined) result.known.set(reason, (result.known.get(reason) ?? 0) + 1);
    return reason === undefined ? found : undefined;
  };
  const signatures = new Set<string>();
  let next = 0;
  const worker = async () => {
    while (options.goesOn(next)) {
      const steps = scriptOf(options.seed, next++);
      const found = await isNew(steps);
      result.played++;
      result.steps += steps.length;
      const signature = found && signatureOf(found);
      if (!found || signature === undefined || signatures.has(signature)) continue;
      signatures.add(signature);
      const small = await shrink(found, async (tried) => {
        const again = await isNew(tried);
        return again && signatureOf(again) === signature ? again : undefined;
      });
      result.found.push(small);
      options.found?.(small);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return result;
}

/** What makes two finds the same for one run: the same sort of request, and the same place of the answer. */
function signatureOf({ step, real, ours, differences: [first] }: Found): string {
  const place = first?.path.replace(/\d+/g, "n");
  return [step.method, step.type, place, real.code, ours.code, wordsOf(real), wordsOf(ours)].join(" ");
}

/** Of a message what is left without names and values. */
function wordsOf({ body }: Masked): string {
  const message = String((body as { message?: unknown } | undefined)?.message ?? "");
  return message.replace(/"(?:[^"\\]|\\.)*"|\{.*\}|\d+/gs, "");
}
