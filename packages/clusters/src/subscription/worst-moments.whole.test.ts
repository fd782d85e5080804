import { vi } from "vitest";
import { startEmbeddedServers } from "./testing/embedded-servers.ts";
import { describeWorstMoments } from "./testing/worst-moments-suite.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
describeWorstMoments(startEmbeddedServers);
