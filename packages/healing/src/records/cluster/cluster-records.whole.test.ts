import { startLocalControlPlane } from "@berg/local-control-plane";
import { describe } from "vitest";
import { ClusterPlace } from "../testing/cluster-place.ts";
import { clusterSuite } from "../testing/cluster-suite.ts";
import { recordsSuite } from "../testing/suite.ts";

async function startPlace(): Promise<ClusterPlace> {
  const controlPlane = await startLocalControlPlane({ dataDir: ":memory:", scheduler: false });
  return ClusterPlace.start(controlPlane.apiServer.connection, controlPlane);
}

describe("records in the embedded cluster", () => {
  recordsSuite(startPlace, { runs: 15 });
  clusterSuite(startPlace);
});
