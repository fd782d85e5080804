import { describe } from "vitest";
import { missingControlPlane } from "../control-plane/binaries.ts";
import { startControlPlane } from "../control-plane/control-plane.ts";
import { missingPostgres } from "../postgres/missing.ts";
import { startPostgres } from "../postgres/postgres.ts";
import { describeKilled } from "./killed.ts";

describe.skipIf((await missingControlPlane()) || missingPostgres())("two replicas on PostgreSQL and Kubernetes", () =>
  describeKilled({
    replicas: 2,
    startControlPlane: () => startControlPlane({ controllerManager: false, scheduler: false }),
    newDatabase: async (parts) => parts.use(await startPostgres()).newDatabase(),
  }),
);
