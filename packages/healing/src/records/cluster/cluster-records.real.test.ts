import { missingControlPlane, startControlPlane } from "@berg/test";
import { describe } from "vitest";
import { ClusterPlace } from "../testing/cluster-place.ts";
import { clusterSuite } from "../testing/cluster-suite.ts";
import { recordsSuite } from "../testing/suite.ts";

async function startPlace(): Promise<ClusterPlace> {
  const controlPlane = await startControlPlane({ controllerManager: false, scheduler: false });
  return ClusterPlace.start(controlPlane.connection, controlPlane);
}

describe.skipIf(await missingControlPlane())("records in a real cluster", () => {
  recordsSuite(startPlace, { runs: 15 });
  clusterSuite(startPlace);
});
