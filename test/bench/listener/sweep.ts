/** What one sweep of the janitor costs where there is nothing to do, beside bare lists of the same objects. */
import type { ResourceType } from "@berg/apimachinery";
import { readJanitorSettings, sweepOnce } from "@berg/healing";
import { type Client, createClient, Deployments, Namespaces, Pods, systemClock, unlimited } from "@berg/kube";
import { ChallengeInstances } from "@berg/resources";
import type { BenchOptions } from "../bench.ts";
import { compare, type Figure } from "../figure.ts";
import { rounds } from "../runtime/rounds.ts";
import type { Crowd } from "./crowd.ts";

/** As kubectl asks for them. */
const limit = 500;

export async function sweepFigures(crowd: Crowd, { quick, say }: BenchOptions): Promise<Figure[]> {
  const count = quick ? 1 : 5;
  say(`a sweep over ${crowd.pods.length} namespaces, and bare lists, ${count} rounds`);
  const { signal } = new AbortController();
  const { sweep, lists } = await rounds(count, {
    sweep: () =>
      timed(crowd, async (client) => {
        const settings = readJanitorSettings({});
        const { problems } = await sweepOnce({ client, settings, clock: systemClock, signal });
        if (problems.length > 0) throw new Error(`the sweep failed: ${problems.join("; ")}`);
      }),
    lists: () =>
      timed(crowd, async (client) => {
        const kinds: ResourceType[] = [Namespaces, Deployments, Pods, ChallengeInstances];
        for (const kind of kinds) await client.listAll(kind, { limit });
      }),
  });
  return [
    compare({
      name: `sweep over ${crowd.pods.length} namespaces, beside bare lists`,
      unit: "ms",
      value: sweep.ms,
      beside: lists.ms,
      goal: { atMost: 1.25 },
    }),
    compare({
      name: `requests of that sweep, beside bare lists in pages of ${limit}`,
      unit: "requests",
      value: sweep.requests,
      beside: lists.requests,
      goal: { atMost: 1 },
    }),
  ];
}

async function timed(crowd: Crowd, work: (client: Client) => Promise<void>): Promise<{ ms: number; requests: number }> {
  let requests = 0;
  const metrics = { finished: () => void requests++, retried() {}, rateLimited() {} };
  const client = createClient({ connection: crowd.connection, component: "janitor", rate: unlimited, metrics });
  const began = performance.now();
  await work(client);
  const ms = performance.now() - began;
  await client.close();
  return { ms, requests };
}
