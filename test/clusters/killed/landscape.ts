/**
 * Our own API server, a garden's and a target's, for many lives side by side. Each has its own namespace and project, its
 * own gardenlet, and its own address of the target:
 *
 *     operators ─┬─► proxy ──► our own server
 *                ├─► proxy ──► front ──► server of the garden ◄── gardenlet
 *                └─► door ──► proxy ──► target
 */
import { type Clock, type Connection, createClient, systemClock, systemRandom, unlimited } from "@berg/kube";
import { Place } from "../../../packages/clusters/src/kubeconfig/testing/place.ts";
import { bindingsOf } from "../../../packages/clusters/src/subscription/pool/account.ts";
import { PoolRecord } from "../../../packages/clusters/src/subscription/testing/pool-record.ts";
import { fillPool, plainPool } from "../../gardener/accounts/accounts.ts";
import { Front } from "../../gardener/front.ts";
import { type PlantedGarden, startGardenlet } from "../../gardener/gardenlet/gardenlet.ts";
import { CloudProfiles } from "../../gardener/kinds.ts";
import { plantProject } from "../../gardener/plant.ts";
import { cloudProfileOf } from "../../gardener/samples.ts";
import { installAdmission } from "../../gardener/stand-ins/admission.ts";
import { installGardenCrds } from "../../gardener/stand-ins/install.ts";
import { kubeconfigs } from "../../gardener/stand-ins/serve.ts";
import { Door } from "./door.ts";
import { type RunningOperators, startOperators } from "./operators.ts";

export interface Servers {
  /** With our kinds. */
  home: Connection;
  garden: Connection;
  /** What every Shoot becomes. */
  target: Connection;
}

/** Where one life is lived. */
export interface Ground extends AsyncDisposable {
  readonly name: string;
  /** Its namespace at home, and the target. */
  readonly place: Place;
  /** Its project. */
  readonly garden: Pick<PlantedGarden, "client" | "namespace">;
  readonly door: Door;
  /** Of all that becomes of the accounts. */
  readonly record: PoolRecord;
  start(clock: Clock): Promise<RunningOperators>;
}

export interface Landscape extends AsyncDisposable {
  /** A name is no longer than 10 characters. */
  open(name: string): Promise<Ground>;
}

export async function openLandscape(servers: Servers): Promise<Landscape> {
  await using undo = new AsyncDisposableStack();
  const world = undo.use(await Place.open(servers));
  const client = undo.adopt(createClient({ connection: servers.garden, rate: unlimited }), (one) => one.close());
  await installGardenCrds(client);
  await installAdmission(client, { dualApproval: false });
  await client.create(CloudProfiles, cloudProfileOf("aws"));
  const doors: Door[] = [];
  const site = { controlPlane: { connection: servers.garden }, client, targets: doors, clock: systemClock };
  const front = undo.adopt(await Front.start(servers.garden, kubeconfigs(site), systemRandom), (one) => one.stop());
  const tls = async () => ({ rejectUnauthorized: true, ca: front.ca });
  const gardener: Connection = { ...servers.garden, server: front.url, tls };

  async function open(name: string): Promise<Ground> {
    await using undo = new AsyncDisposableStack();
    const place = undo.use(await world.in(name));
    const door = undo.adopt(await Door.start(), (one) => one.stop());
    doors.push(door);
    const namespace = `garden-${name}`;
    // Of a cluster that neither sleeps nor gets new keys, its address is all that is asked for.
    const targets = [door] as unknown as PlantedGarden["targets"];
    const garden: PlantedGarden = { client, namespace, project: name, targets };
    await plantProject(client, garden);
    await fillPool(garden, plainPool("aws", 2));
    undo.use(await startGardenlet(garden, { beatMs: 5 }));
    const requests = { client: place.home, namespace: name };
    const type = bindingsOf("CredentialsBinding");
    const record = new PoolRecord({ client, type, namespace, requests });
    await record.start();
    undo.defer(() => record.stop());
    const parts = undo.move();
    const to = { home: servers.home, garden: gardener, target: servers.target };
    return {
      ...{ name, place, garden, door, record },
      start: (clock) => startOperators({ name, to, door, clock }),
      [Symbol.asyncDispose]: () => parts.disposeAsync(),
    };
  }

  const parts = undo.move();
  return { open, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}
