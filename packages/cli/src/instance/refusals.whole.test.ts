import { startLocalControlPlane } from "@berg/local-control-plane";
import { describe } from "vitest";
import { describeRefusals } from "./testing/refusals.ts";

describe("on the embedded control plane", () =>
  describeRefusals(async () => {
    const controlPlane = await startLocalControlPlane({ dataDir: ":memory:" });
    return { connection: controlPlane.apiServer.connection, stop: () => controlPlane.stop() };
  }));
