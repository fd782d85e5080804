/** What a sweep asks of the server: pages of lists, whatever the number of instances, and nothing about each. */
import { randomUUID } from "node:crypto";
import { type Client, createClient, Namespaces, systemClock, unlimited } from "@berg/kube";
import { startLocalControlPlane } from "@berg/local-control-plane";
import { ChallengeInstances } from "@berg/resources";
import { afterAll, beforeAll, expect, test } from "vitest";
import { marksOf } from "../removing/testing/objects.ts";
import { sweepOnce } from "./sweep-once.ts";
import { Place } from "./testing/place.ts";

const count = 500;
const asked = new Map<string, number>();
let place: Place;
let client: Client;

beforeAll(async () => {
  place = await Place.on(async () => {
    const controlPlane = await startLocalControlPlane({ dataDir: ":memory:", scheduler: false });
    return { connection: controlPlane.apiServer.connection, stop: () => controlPlane.stop() };
  });
  client = createClient({
    connection: place.connection,
    rate: unlimited,
    metrics: {
      finished: ({ method }) => void asked.set(method, (asked.get(method) ?? 0) + 1),
      retried() {},
      rateLimited() {},
    },
  });
  await Promise.all(
    Array.from({ length: count }, async () => {
      const { metadata } = await place.instance();
      await place.client.create(Namespaces, {
        metadata: { name: `challenge-${randomUUID()}`, labels: marksOf(metadata.uid) },
      });
    }),
  );
}, 120_000);

afterAll(async () => {
  await client?.close();
  await place?.[Symbol.asyncDispose]();
});

test(`over ${count} namespaces in which nothing is to be done, a sweep makes four requests`, async () => {
  const { signal } = new AbortController();
  const settings = { graceMs: 2000, ghostGraceMs: 0 };
  expect(await sweepOnce({ client, settings, clock: systemClock, signal })).toEqual({ actions: [], problems: [] });
  expect(Object.fromEntries(asked)).toEqual({ GET: 4 });
  expect((await place.client.list(ChallengeInstances, { limit: 1 })).metadata.remainingItemCount).toBe(count - 1);
}, 60_000);
