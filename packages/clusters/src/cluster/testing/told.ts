/** What a test asks of a world, and waits for. */
import { ConfigMaps } from "@berg/kube";
import { expect } from "vitest";
import { gardenNamespace, type World } from "./world.ts";

/** With a name that its gardenlet can be told of before it is there. */
export const named = (shootName: string) => ({ core: { purpose: "Production", region: "eu-central-1", shootName } });

export const oidcConfig = { issuerURL: "https://issuer.example.com", clientID: "kyma", usernameClaim: "sub" };

export const untilPhase = (world: World, name: string, phase: string) =>
  expect.poll(() => world.phaseOf(name)).toBe(phase);

export const untilCondition = (world: World, name: string, type: string, wanted: string) =>
  expect.poll(() => world.conditionOf(name, type)).toBe(wanted);

export async function messageOf(world: World, name: string, type: string): Promise<string> {
  return (await world.get(name))?.status?.conditions?.find((one) => one.type === type)?.message ?? "";
}

/** Who may sign in to this Shoot, as its API server is told. */
export function signInOf({ client }: World, shoot: string): Promise<string | undefined> {
  return client.get(ConfigMaps, gardenNamespace, `${shoot}-authentication`).then(
    ({ data }) => data?.["config.yaml"],
    () => undefined,
  );
}
