import { describe, vi } from "vitest";
import { startEmbeddedServers } from "./testing/embedded-servers.ts";
import { describeReleases } from "./testing/release-suite.ts";
import { describeSubscriptions } from "./testing/suite.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
describe("requests", () => describeSubscriptions(startEmbeddedServers));
describe("a request that is deleted", () => describeReleases(startEmbeddedServers));
