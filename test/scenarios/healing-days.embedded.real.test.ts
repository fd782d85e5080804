import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startLocalControlPlane } from "@berg/local-control-plane";
import { describe } from "vitest";
import { startEmbeddedWorld } from "./embedded-world.ts";
import { describeHealingDays, type FragilePlane } from "./healing-days.ts";

async function startPlane(): Promise<FragilePlane> {
  const dataDir = await mkdtemp(join(tmpdir(), "berg-healing-"));
  let running = await startLocalControlPlane({ dataDir, scheduler: false });
  const { connection, url } = running.apiServer;
  return {
    connection,
    async restart() {
      await running.stop();
      running = await startLocalControlPlane({ dataDir, scheduler: false, port: Number(new URL(url).port) });
    },
    forget: async () => running.apiServer.forgetHistory(),
    async stop() {
      await running.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

describe("on the embedded control plane", { timeout: 180_000 }, () =>
  describeHealingDays(startEmbeddedWorld, startPlane),
);
