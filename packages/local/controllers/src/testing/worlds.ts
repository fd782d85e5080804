/**
 * The same checks on two control planes: a real API server with our controllers, and one with Kubernetes' own. What a
 * check finds must hold for both.
 *
 *     describe.each(worlds)("quota, %s", (world) => {
 *       const plane = useWorld(startControlPlane, world, (manager) => addQuotaController(manager, …));
 */
import { type Client, type Connection, createClient, type Manager, unlimited } from "@berg/kube";
import { afterAll, beforeAll } from "vitest";
import { type Running, runControllers } from "./run-controllers.ts";

export const worlds = ["ours", "real"] as const;
export type World = (typeof worlds)[number];

type Start = (options: {
  controllerManager: boolean;
  controllerManagerFlags: string[];
  scheduler: boolean;
}) => Promise<{ connection: Connection; stop(): Promise<void> }>;

/** `real`: which of Kubernetes' own controllers run; all unless told. */
export function useWorld(
  startControlPlane: Start,
  world: World,
  add: (manager: Manager) => void,
  real: readonly string[] = ["*"],
): { readonly client: Client } {
  let plane: Awaited<ReturnType<Start>> | undefined;
  let client: Client | undefined;
  let running: Running | undefined;
  beforeAll(async () => {
    const controllerManagerFlags = [`--controllers=${real.join(",")}`];
    plane = await startControlPlane({ controllerManager: world === "real", controllerManagerFlags, scheduler: false });
    client = createClient({ connection: plane.connection, rate: unlimited });
    if (world === "ours") running = await runControllers(plane.connection, add);
  });
  afterAll(async () => {
    await running?.[Symbol.asyncDispose]();
    await client?.close();
    await plane?.stop();
  });
  return {
    get client() {
      return client as Client;
    },
  };
}
