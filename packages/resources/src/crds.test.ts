import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startLocalControlPlane } from "@berg/local-control-plane";
import { describe } from "vitest";
import { describeCrds } from "./testing/describe-crds.ts";

describe("the CRDs on the API server of `berg up`", () =>
  describeCrds(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "berg-crds-"));
    const { apiServer, stop } = await startLocalControlPlane({ dataDir, scheduler: false });
    return {
      connection: apiServer.connection,
      async stop() {
        await stop();
        await rm(dataDir, { recursive: true, force: true });
      },
    };
  }));
