import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startLocalControlPlane } from "@berg/local-control-plane";
import { describe } from "vitest";
import { describeKilled } from "./killed.ts";

describe("on a SQLite file and the embedded control plane", () =>
  describeKilled({
    replicas: 1,
    async startControlPlane() {
      const controlPlane = await startLocalControlPlane({ dataDir: ":memory:" });
      return { connection: controlPlane.apiServer.connection, stop: () => controlPlane.stop() };
    },
    async newDatabase(parts) {
      const directory = await mkdtemp(join(tmpdir(), "berg-killed-"));
      parts.defer(() => rm(directory, { recursive: true, force: true }));
      return join(directory, "api.db");
    },
  }));
