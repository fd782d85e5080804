import { vi } from "vitest";
import { startEmbeddedServers } from "./testing/embedded-servers.ts";
import { describeSubscriptions } from "./testing/suite.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
describeSubscriptions(startEmbeddedServers);
