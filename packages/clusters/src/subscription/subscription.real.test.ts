/** Requests, races, bad days and kills on two real API servers. */
import { missingControlPlane } from "@berg/test";
import { afterAll, beforeAll, describe, vi } from "vitest";
import { describeCrashes } from "./testing/crash-suite.ts";
import { describeRaces } from "./testing/races-suite.ts";
import { startRealServers } from "./testing/real-servers.ts";
import { describeReleases } from "./testing/release-suite.ts";
import { describeSubscriptions } from "./testing/suite.ts";
import { describeTrouble } from "./testing/trouble-suite.ts";
import type { Servers } from "./testing/world.ts";
import { describeWorstMoments } from "./testing/worst-moments-suite.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 300_000 });

describe.skipIf(await missingControlPlane())("on real API servers", () => {
  let servers: Servers & AsyncDisposable;
  beforeAll(async () => {
    servers = await startRealServers();
  });
  afterAll(() => servers?.[Symbol.asyncDispose]());
  // They start in seconds; each test has namespaces of its own.
  const sameServers = async () => ({ ...servers, [Symbol.asyncDispose]: async () => {} });

  describe("requests", () => describeSubscriptions(sameServers));
  describe("a request that is deleted", () => describeReleases(sameServers));
  describe("worst moments", () => describeWorstMoments(sameServers));
  describe("races", () => describeRaces(sameServers));
  describe("bad days", () => describeTrouble(sameServers));
  describe("kills", () => describeCrashes(sameServers));
});
