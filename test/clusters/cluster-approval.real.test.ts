/** The deletion of a Cluster where Gardener wants two people to agree, with real API servers at each end. */
import { createClient, unlimited } from "@berg/kube";
import { Clusters } from "@berg/resources";
import { describe, expect, test } from "vitest";
import { Shoots } from "../../packages/clusters/src/gardener/kinds.ts";
import { userWithNewToken } from "../control-plane/credentials.ts";
import { onEachGarden } from "../gardener/on-each-garden.ts";
import { isGone, patient, startClusterPlace } from "./cluster-place.ts";

onEachGarden((gardener) => {
  describe("where two people must delete", () => {
    test("a cluster waits for the second, and goes", async () => {
      const another = userWithNewToken("another", ["system:masters"]);
      await using place = await startClusterPlace({ gardener, dualApproval: true, users: [another] });
      await using _ = await place.startOperators();
      const { garden, client } = place;
      await place.create("dual");
      await place.untilPhase("dual", "Ready");
      await client.delete(Clusters, "default", "dual");
      await place.untilCondition("dual", "Deprovisioned", "Unknown/AwaitingApproval");
      const second = createClient({ connection: garden.connectWith(another.token), rate: unlimited });
      try {
        expect((await second.get(Shoots, garden.namespace, "dual")).metadata.deletionTimestamp).toBeUndefined();
        await second.delete(Shoots, garden.namespace, "dual");
      } finally {
        await second.close();
      }
      await expect.poll(() => isGone(place.get("dual")), patient).toBe(true);
    });
  });
});
