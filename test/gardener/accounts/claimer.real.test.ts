import { systemClock, systemRandom } from "@berg/kube";
import { describe, expect, test } from "vitest";
import { missingControlPlane } from "../../control-plane/binaries.ts";
import { startGarden } from "../garden.ts";
import { CredentialsBindings, SecretBindings } from "../kinds.ts";
import { fillPool, plainPool } from "./accounts.ts";
import { claimFromOutside } from "./claimer.ts";

describe.skipIf(await missingControlPlane())("an outside claimer", () => {
  test("takes free accounts one by one, and two of them never the same", async () => {
    await using garden = await startGarden();
    await fillPool(garden, plainPool("aws", 5));
    await fillPool(garden, [{ name: "ours", provider: "aws", labels: { hyperscalerType: "aws", internal: "true" } }]);
    await fillPool(garden, plainPool("aws", 1), "SecretBinding");
    const options = { hyperscalerType: "aws", pauseMs: 5, clock: systemClock, random: systemRandom };
    const [left, right] = await Promise.all([
      claimFromOutside(garden, { ...options, tenants: ["a", "b", "c"] }),
      claimFromOutside(garden, { ...options, tenants: ["d", "e", "f"] }),
    ]);
    const claimed = [...left, ...right];
    expect(claimed).toHaveLength(5);
    expect(new Set(claimed.map(({ account }) => account)).size).toBe(5);
    const { items } = await garden.client.list(CredentialsBindings, { namespace: garden.namespace });
    for (const { tenant, account } of claimed) {
      expect(items.find(({ metadata }) => metadata.name === account)?.metadata.labels?.tenantName).toBe(tenant);
    }
    expect(items.find(({ metadata }) => metadata.name === "ours")?.metadata.labels?.tenantName).toBeUndefined();
    expect((await garden.client.list(SecretBindings, { namespace: garden.namespace })).items).toHaveLength(1);
  });
});
