/**
 * What the controller is measured on: a real control plane with our kinds and those of others, simulated pods in a
 * process of their own, one Challenge, and a log of every write that the controller's user makes.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient, Leases, Namespaces, unlimited } from "@berg/kube";
import { customResourceDefinitions, finalizers } from "@berg/resources";
import { type ControlPlane, startControlPlane } from "../../control-plane/control-plane.ts";
import { userWithNewToken } from "../../control-plane/credentials.ts";
import { installForeignCrds } from "../../foreign-crds/install.ts";
import { CustomResourceDefinitions, untilServed } from "../../scenarios/crds.ts";
import { ChallengeBuilder, InstanceBuilder } from "../../scenarios/objects.ts";
import { startChild } from "../runtime/child.ts";
import { AuditLog } from "./audit-log.ts";
import type { Server } from "./connect.ts";
import { Lives } from "./lives.ts";

/** Of the controller, of Challenges and of instances. */
export const namespace = "berg";

const challenge = { metadata: { namespace, name: "web" } };

export class Cluster implements AsyncDisposable {
  /** For what the bench does, and not the controller. */
  readonly client: Client;
  readonly lives: Lives;
  readonly audit: AuditLog;
  /** As the controller sees it. */
  readonly server: Server;
  /** Removed at the end. */
  readonly directory: string;
  readonly #controlPlane: ControlPlane;
  readonly #parts: AsyncDisposableStack;

  constructor(given: Pick<Cluster, "client" | "lives" | "audit" | "server" | "directory">, parts: Parts) {
    this.client = given.client;
    this.lives = given.lives;
    this.audit = given.audit;
    this.server = given.server;
    this.directory = given.directory;
    this.#controlPlane = parts.controlPlane;
    this.#parts = parts.stack;
  }

  /** The connection that the controller has. */
  get connection() {
    return this.#controlPlane.connectWith(this.server.token);
  }

  /** As Berg's API creates one: its id is known, and it is held from the start. */
  instance(ownerId: string): InstanceBuilder {
    return this.instanceByHand(ownerId).metadata({ finalizers: [finalizers.controller] });
  }

  /** As a person creates one: nothing holds it yet. */
  instanceByHand(ownerId: string, client: Client = this.client): InstanceBuilder {
    return new InstanceBuilder({ client, namespace, behaviours: new Map() }, challenge)
      .ownedBy(ownerId)
      .withId(ownerId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync();
  }
}

interface Parts {
  controlPlane: ControlPlane;
  stack: AsyncDisposableStack;
}

export async function startCluster(): Promise<Cluster> {
  await using stack = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), "berg-bench-"));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const user = userWithNewToken("berg-controller", ["system:masters"]);
  const audit = await AuditLog.prepare(directory, user.name);
  const controlPlane = stack.use(
    await startControlPlane({
      scheduler: false,
      users: [user],
      apiServerFlags: audit.apiServerFlags,
      // As many as everywhere; tests have more.
      controllerManagerFlags: ["--concurrent-namespace-syncs=10"],
    }),
  );
  const client = createClient({ connection: controlPlane.connection, component: "bench", rate: unlimited });
  stack.defer(() => client.close());
  await installKinds(client);
  await client.create(Namespaces, { metadata: { name: namespace } });
  // One that nobody has ever held is free at once.
  await client.create(Leases, { metadata: { namespace, name: "berg-controller" } });
  await new ChallengeBuilder({ client, namespace, behaviours: new Map() }, challenge.metadata.name)
    .container("web")
    .port(80, "publicHttpRoute", { name: "http" })
    .flag({ content: { path: "/flag.txt" } })
    .create();
  const { ca = "" } = await controlPlane.connection.tls();
  const server = { server: controlPlane.server, ca, token: user.token };
  const admin: Server = { ...server, token: controlPlane.token };
  stack.use(await startChild(new URL("./simulator.ts", import.meta.url), admin));
  const lives = stack.use(await Lives.watch(client));
  return new Cluster({ client, lives, audit, server, directory }, { controlPlane, stack: stack.move() });
}

async function installKinds(client: Client): Promise<void> {
  const definitions = customResourceDefinitions();
  for (const definition of definitions) await client.create(CustomResourceDefinitions, definition);
  await Promise.all([...definitions.map((one) => untilServed(client, one)), installForeignCrds(client)]);
}
