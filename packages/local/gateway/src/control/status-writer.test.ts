import { silentLogger, systemClock } from "@berg/kube";
import { expect, test } from "vitest";
import { routingOf } from "../routing/routing.ts";
import { fromAll, gateway, httpRoute, stateOf } from "../testing/objects.ts";
import { controllerName } from "../vocabulary.ts";
import { StatusWriter } from "./status-writer.ts";

const parentRef = { name: "edge", namespace: "infra" };
const route = (generation: number) => {
  const object = httpRoute("a/web", ["a.test"]);
  const status = { parents: [{ parentRef, controllerName, conditions: [] }] };
  return { ...object, metadata: { ...object.metadata, generation }, status };
};

/** A cache with one route, as it is now, and what is written. */
function world(now: ReturnType<typeof route>) {
  const written: unknown[] = [];
  const none = { list: () => [], get: () => undefined, informer: undefined };
  const routes = { list: () => [now], get: () => now, informer: { type: {} } };
  const client = { update: async (_: unknown, object: { status: unknown }) => written.push(object.status) };
  const kinds = { classes: none, gateways: none, tlsRoutes: none, httpRoutes: routes };
  const writer = new StatusWriter({ client, clock: systemClock, log: silentLogger, kinds } as never);
  return { writer, written };
}

const listener = { name: "http", port: 80, protocol: "HTTP", ...fromAll };
const seen = (generation: number) =>
  routingOf(stateOf({ gateways: [gateway([listener])], httpRoutes: [route(generation)] })).statuses;
const key = "httpRoutes:a/web";
const signal = new AbortController().signal;

test("nothing is said of what has not been looked at: what was said before stays", async () => {
  const { writer, written } = world(route(1));
  await writer.write(key, signal);
  expect(written).toEqual([]);
});

test("what was found of an earlier version is not said of the next", async () => {
  const { writer, written } = world(route(2));
  expect(writer.want(seen(1))).toEqual([]);
  await writer.write(key, signal);
  expect(written).toEqual([]);

  expect(writer.want(seen(2))).toEqual([key]);
  await writer.write(key, signal);
  expect(written).toMatchObject([{ parents: [{ conditions: [{ type: "Accepted", observedGeneration: 2 }, {}] }] }]);
});
