/**
 * A garden for tests, with real clusters in it. See README.md for what of it is real.
 *
 *     await using garden = await startGarden({ targets: 2 });
 *     const client = createClient({ connection: garden.connection });
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type Client,
  type Clock,
  type Connection,
  createClient,
  kubeconfigFor,
  type Random,
  systemClock,
  systemRandom,
  unlimited,
} from "@berg/kube";
import type { ControlledProcess } from "../control-plane/component.ts";
import { type ControlPlane, startControlPlane } from "../control-plane/control-plane.ts";
import { connectionWith, type User } from "../control-plane/credentials.ts";
import type { GardenFaults } from "./faults.ts";
import { Front, type GardenRequest, type Subresource } from "./front.ts";
import { makeKeptDirectory } from "./kept-directory.ts";
import { isKubeconfigSubresource, refusal } from "./kubeconfig-request.ts";
import { plant } from "./plant.ts";
import { realGardener } from "./server/serve.ts";
import { standInGardener } from "./stand-ins/serve.ts";
import { GardenTarget } from "./target.ts";

export interface GardenOptions {
  /**
   * Gardener's own server, which must have been built (`missingGardener`), or stand-ins. The latter unless told, here or
   * by BERG_GARDENER=real, with which any suite can be put to the former.
   */
  gardener?: "real" | "stand-ins";
  /** `garden-<project>` is the namespace. `berg` unless told. */
  project?: string;
  /** How many real clusters there are for Shoots. None unless told: they take a few seconds each. */
  targets?: number;
  /** Whether another than the one who confirmed a deletion must ask for it. */
  dualApproval?: boolean;
  /** Who may sign in beside the admin; what they may do is for RBAC of the garden to say. */
  users?: readonly User[];
  clock?: Clock;
  random?: Random;
}

export interface TestGarden extends AsyncDisposable {
  /** Path of the admin's kubeconfig; its address is the front's. */
  readonly kubeconfig: string;
  /** The admin's connection, through the front. */
  readonly connection: Connection;
  /** Past the front: what is done with it is in no record, and no fault meets it. */
  readonly client: Client;
  readonly controlPlane: ControlPlane;
  /** Gardener's own server, where it is the real one. */
  readonly gardenerServer: ControlledProcess | undefined;
  readonly project: string;
  readonly namespace: string;
  readonly targets: readonly GardenTarget[];
  /** Every request that went through the front, oldest first. */
  readonly requests: readonly GardenRequest[];
  readonly faults: GardenFaults;
  /** Through the front, as one of `users` or a service account of the garden. */
  connectWith(token: string): Connection;
  /** From now on, or until told otherwise, the CA of this Shoot is not known to the garden: 500. */
  loseCa(shoot: string, lost?: boolean): void;
  /** What gardenlet does for each cluster that it has made: Gardener can issue certificates for it. */
  publishCa(shoot: string, target: GardenTarget | undefined): Promise<void>;
  stop(): Promise<void>;
}

export async function startGarden(options: GardenOptions = {}): Promise<TestGarden> {
  const { project = "berg", targets: count = 0, dualApproval = false, users = [] } = options;
  const clock = options.clock ?? systemClock;
  const namespace = `garden-${project}`;
  const undo = new AsyncDisposableStack();
  try {
    const { path: directory, keeper } = await makeKeptDirectory("berg-garden-");
    undo.defer(() => keeper.close());
    const isReal = (options.gardener ?? process.env.BERG_GARDENER) === "real";
    const gardener = isReal ? realGardener : standInGardener;
    const controlPlane = await startControlPlane({
      controllerManager: false,
      scheduler: false,
      users,
      apiServerFlags: await gardener.apiServerFlags(directory),
    });
    undo.use(controlPlane);
    const client = createClient({ connection: controlPlane.connection, rate: unlimited });
    undo.defer(() => client.close());
    const targets: GardenTarget[] = [];
    const site = { controlPlane, client, directory, keeper, namespace, dualApproval, targets, clock };
    const served = await gardener.serve(site);
    undo.defer(() => served.stop());
    await plant(client, { project, namespace, dualApproval });
    for (let n = 0; n < count; n++) {
      const target = await GardenTarget.start(`shoot-${n}`, gardener.makeClientCa);
      undo.defer(() => target.stop());
      targets.push(target);
    }
    const lost = new Set<string>();
    const subresource: Subresource = async (asked, body, authorization) =>
      isKubeconfigSubresource(asked.subresource) && lost.has(asked.name)
        ? refusal(500, "InternalError", "Internal error occurred: could not get client CA secret")
        : served.subresource(asked, body, authorization);
    const front = await Front.start(controlPlane.connection, subresource, options.random ?? systemRandom);
    undo.defer(() => front.stop());
    const connectWith = (token: string) => connectionWith({ server: front.url, ca: front.ca, token, namespace });
    const kubeconfig = join(directory, "garden.kubeconfig");
    const admin = { name: "admin", server: front.url, ca: front.ca, token: controlPlane.token, namespace };
    await writeFile(kubeconfig, kubeconfigFor(admin), { mode: 0o600 });

    const stopping = undo.move();
    let stopped: Promise<void> | undefined;
    const stop = () => {
      stopped ??= stopping.disposeAsync();
      return stopped;
    };
    return {
      kubeconfig,
      connection: connectWith(controlPlane.token),
      client,
      controlPlane,
      gardenerServer: served.process,
      project,
      namespace,
      targets,
      requests: front.requests,
      faults: front.faults,
      connectWith,
      loseCa: (shoot, isLost = true) => void (isLost ? lost.add(shoot) : lost.delete(shoot)),
      publishCa: (shoot, target) => served.publishCa(shoot, target),
      stop,
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await undo.disposeAsync();
    throw error;
  }
}
