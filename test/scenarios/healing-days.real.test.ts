import { describe } from "vitest";
import { missingControlPlane } from "../control-plane/binaries.ts";
import { startControlPlane } from "../control-plane/control-plane.ts";
import { describeHealingDays, type FragilePlane } from "./healing-days.ts";
import { startWorld } from "./world.ts";

async function startPlane(): Promise<FragilePlane> {
  const plane = await startControlPlane({ scheduler: false });
  const restart = async () => {
    await plane.apiServer.kill();
    await plane.apiServer.start();
  };
  return {
    connection: plane.connection,
    restart,
    // Until it is restarted, it answers from memory.
    async forget() {
      await plane.compactEtcd();
      await restart();
    },
    stop: () => plane.stop(),
  };
}

describe.skipIf(await missingControlPlane())("on real Kubernetes", { timeout: 180_000 }, () =>
  describeHealingDays(startWorld, startPlane),
);
