import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startLocalControlPlane } from "@berg/local-control-plane";
import { describe } from "vitest";
import { customResourceDefinitions } from "./crd.ts";
import { describeCrds } from "./testing/describe-crds.ts";

async function start() {
  const dataDir = await mkdtemp(join(tmpdir(), "berg-crds-"));
  const { apiServer, stop } = await startLocalControlPlane({ dataDir, scheduler: false });
  return {
    connection: apiServer.connection,
    async stop() {
      await stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

// `berg up` never serves those of `berg clusters`.
describe("the CRDs on the API server of `berg up`", () => describeCrds(start, customResourceDefinitions()));
