import { startLocalControlPlane } from "@berg/local-control-plane";
import { describe } from "vitest";
import { describeJanitor } from "./testing/describe-janitor.ts";

describe("on the embedded control plane", () =>
  describeJanitor(async () => {
    const controlPlane = await startLocalControlPlane({ dataDir: ":memory:" });
    return { connection: controlPlane.apiServer.connection, stop: () => controlPlane.stop() };
  }));
