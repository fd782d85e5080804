/**
 * What the engine tells of containers that come and go, and of networks; for whoever then looks for himself.
 *
 * Engines do not tell everything, and nothing while they are away: `missed` says that something may have happened
 * unheard. It is said at the beginning, when the engine has gone, and when it is there again.
 */
import { type Clock, errorText, type Logger, type Random, sleep } from "@berg/kube";
import type { Engine } from "@berg/local-engine";

export interface EngineNewsOptions {
  engine: Pick<Engine, "info" | "events" | "networkEvents">;
  clock: Clock;
  random: Random;
  log: Logger;
  /** It runs, has ended, is gone, or has come to or left a network. The next news wait for this. */
  container(id: string, signal: AbortSignal): Promise<void>;
  /** Made or removed. */
  network(id: string): void;
  missed(): void;
}

/** Others, such as the commands that probes run in a container, are many, and change nothing here. */
const telling = new Set(["start", "die", "destroy"]);
const firstDelayMs = 500;
const longestDelayMs = 30_000;

/** Until aborted. */
export async function followEngine(options: EngineNewsOptions, signal: AbortSignal): Promise<void> {
  const { clock, random, log, missed } = options;
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      await hearOnce(options, signal, () => {
        failures = 0;
        missed();
      });
    } catch (error) {
      if (signal.aborted) return;
      log.debug({ error: errorText(error), failures }, "the container engine tells nothing, and is asked again");
    }
    if (failures === 0) missed();
    const delayMs = Math.min(longestDelayMs, firstDelayMs * 2 ** failures);
    await sleep(clock, delayMs * (0.5 + random() / 2), signal).catch(() => {});
  }
}

/** Ends, or throws, when the engine goes. */
async function hearOnce(options: EngineNewsOptions, signal: AbortSignal, opened: () => void): Promise<void> {
  const { engine, container, network } = options;
  const ending = new AbortController();
  const both = AbortSignal.any([signal, ending.signal]);
  // Where it is away this says so at once.
  await engine.info(signal);
  const containers = engine.events({}, both);
  const networks = engine.networkEvents(both);
  opened();
  const hearing = [
    hear(containers, async ({ action, containerId }) => {
      if (telling.has(action)) await container(containerId, both);
    }),
    hear(networks, async ({ containerId, networkId }) => {
      if (containerId !== "") await container(containerId, both);
      else network(networkId);
    }),
  ];
  try {
    await Promise.race(hearing);
  } finally {
    ending.abort();
    await Promise.allSettled(hearing);
  }
}

async function hear<T>(events: AsyncIterable<T>, tell: (event: T) => Promise<void>): Promise<void> {
  for await (const event of events) await tell(event);
}
