/**
 * An account pool, as it is after a while: accounts of several clouds, some claimed, some dirty, some for all, some that
 * only the owner of the pool may use, and labels of others on all of them.
 */
import { defineResource } from "@berg/apimachinery";
import type { Random } from "@berg/kube";
import type { TestGarden } from "../garden.ts";
import { CredentialsBindings, SecretBindings } from "../kinds.ts";

export interface Account {
  name: string;
  /** The provider, which Gardener wants to know; `hyperscalerType` may say more. */
  provider: string;
  labels: Record<string, string>;
}

export interface PoolWanted {
  /** How many of each `hyperscalerType`: `{ aws: 20, "gcp_cf-sa30": 5 }`. */
  accounts: Record<string, number>;
  /** Who has accounts already. */
  tenants?: readonly string[];
  random: Random;
}

/** Of ten accounts about one is for all, one dirty, one internal, one for the EU, and one claimed where there are tenants. */
export function makePool({ accounts, tenants = [], random }: PoolWanted): Account[] {
  return Object.entries(accounts).flatMap(([type, count]) =>
    Array.from({ length: count }, (_, n) => account(type, n, tenants, random)),
  );
}

function account(type: string, n: number, tenants: readonly string[], random: Random): Account {
  const tenant = tenants[Math.floor(random() * tenants.length)];
  const isOneOfTen = () => random() < 0.1;
  const isShared = isOneOfTen();
  const isClaimed = isOneOfTen();
  const labels: Record<string, string> = {
    hyperscalerType: type,
    "team.example.org/owner": "platform",
    ...(isShared && { shared: "true" }),
    ...(isOneOfTen() && { euAccess: "true" }),
    ...(isOneOfTen() && { internal: "true" }),
    ...(!isShared &&
      isClaimed &&
      tenant !== undefined && { tenantName: tenant, ...(isOneOfTen() && { dirty: "true" }) }),
  };
  const provider = type.split("_")[0] as string;
  return { name: `${type.replaceAll("_", "-")}-${String(n).padStart(4, "0")}`, provider, labels };
}

/** Plain ones, which anybody may claim. */
export function plainPool(type: string, count: number): Account[] {
  return Array.from({ length: count }, (_, n) => ({
    name: `${type.replaceAll("_", "-")}-${String(n).padStart(4, "0")}`,
    provider: type.split("_")[0] as string,
    labels: { hyperscalerType: type },
  }));
}

const Secrets = defineResource({ group: "", version: "v1", resource: "secrets", kind: "Secret", namespaced: true });

/** Each account has a Secret of its name, without which Gardener does not take the binding. Nothing is in it. */
export async function fillPool(
  garden: Pick<TestGarden, "client" | "namespace">,
  accounts: readonly Account[],
  kind: "CredentialsBinding" | "SecretBinding" = "CredentialsBinding",
): Promise<void> {
  const { client, namespace } = garden;
  for (const { name, provider, labels } of accounts) {
    const metadata = { name, namespace, labels };
    await client.apply(Secrets, { metadata: { name, namespace } }, { fieldManager: "berg-test" });
    if (kind === "CredentialsBinding") {
      const credentialsRef = { apiVersion: "v1", kind: "Secret", name, namespace };
      await client.create(CredentialsBindings, { metadata, provider: { type: provider }, credentialsRef });
    } else {
      await client.create(SecretBindings, { metadata, provider: { type: provider }, secretRef: { name, namespace } });
    }
  }
}
