/**
 * One cluster that Gardener would have made: a real API server whose CAs and keys are known, so that a certificate for an
 * administrator can be issued, and all of them rotated, as Gardener does.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Connection, systemClock } from "@berg/kube";
import { issueCertificate, type KeyAndCertificate, makeCa } from "@berg/local-certificates";
import { type ControlPlane, startControlPlane } from "../control-plane/control-plane.ts";
import { connectionWith, newServiceAccountKey } from "../control-plane/credentials.ts";
import { type Forwarder, startForwarder } from "./forwarder.ts";
import type { Gardener } from "./gardener.ts";
import { type KeptDirectory, makeKeptDirectory } from "./kept-directory.ts";
import { bindGroups } from "./target-groups.ts";

export class GardenTarget {
  /** `shoot-0`, `shoot-1`, … */
  readonly name: string;
  readonly controlPlane: ControlPlane;
  /** What signs client certificates now. */
  clientCa: KeyAndCertificate;
  /** PEM: whom to trust as its server now. */
  serverCa: string;
  readonly #directory: KeptDirectory;
  readonly #flags: string[];
  readonly #newClientCa: Own["newClientCa"];
  #moved: Forwarder | undefined;
  #nextServerCa: KeyAndCertificate | undefined;
  #nextServiceAccountKey: string | undefined;

  private constructor(name: string, of: Pick<GardenTarget, "controlPlane" | "clientCa" | "serverCa">, own: Own) {
    this.name = name;
    this.controlPlane = of.controlPlane;
    this.clientCa = of.clientCa;
    this.serverCa = of.serverCa;
    this.#directory = own.directory;
    this.#flags = own.flags;
    this.#newClientCa = own.newClientCa;
  }

  static async start(name: string, makeClientCa: Gardener["makeClientCa"]): Promise<GardenTarget> {
    const newClientCa = () => makeClientCa("client-ca", life().from, life().until);
    const clientCa = await newClientCa();
    await using parts = new AsyncDisposableStack();
    const directory = await makeKeptDirectory("berg-target-");
    parts.defer(() => directory.keeper.close());
    const flags = [`--client-ca-file=${join(directory.path, clientCaFile)}`];
    await writeFile(join(directory.path, clientCaFile), clientCa.certificate);
    const servers = { controllerManager: false, scheduler: false, apiServerFlags: flags };
    const controlPlane = parts.use(await startControlPlane(servers));
    const serverCa = await readFile(join(controlPlane.directory, "apiserver.crt"), "utf8");
    const target = new GardenTarget(name, { controlPlane, clientCa, serverCa }, { directory, flags, newClientCa });
    await bindGroups(target.connection);
    parts.move();
    return target;
  }

  /** Where it is reached now: not the same after it has moved. */
  get server(): string {
    return this.#moved?.url ?? this.controlPlane.server;
  }

  /** The administrator's own way in, which Gardener has no part in. */
  get connection(): Connection {
    return connectionWith({ server: this.server, ca: this.serverCa, token: this.controlPlane.token });
  }

  /** Reached at another address from now on, and no longer at the one before, unless that was its first. */
  async move(): Promise<void> {
    const before = this.#moved;
    const port = Number(new URL(this.controlPlane.server).port);
    this.#moved = await startForwarder(() => port);
    await before?.stop();
  }

  /** A new CA signs clients, both are trusted; who connects is to trust either as the server's. */
  async prepareCa(): Promise<void> {
    const next = await this.#newClientCa();
    await writeFile(join(this.#directory.path, clientCaFile), `${this.clientCa.certificate}${next.certificate}`);
    this.clientCa = next;
    const { from, until } = life();
    this.#nextServerCa = makeCa("cluster-ca", from, until);
    this.serverCa += this.#nextServerCa.certificate;
  }

  /** The CAs from before are trusted no longer, and the server shows a certificate of the new one. */
  async completeCa(): Promise<void> {
    const ca = this.#nextServerCa;
    if (!ca) throw new Error(`${this.name} has no new CA: prepareCa comes first`);
    await writeFile(join(this.#directory.path, clientCaFile), this.clientCa.certificate);
    const subject = { commonName: "kube-apiserver" };
    const made = issueCertificate(ca, { subject, usage: "server", names: ["127.0.0.1", "localhost"], ...life() });
    const files = this.controlPlane.directory;
    await writeFile(join(files, "apiserver.crt"), `${made.certificate}${ca.certificate}`);
    await writeFile(join(files, "apiserver.key"), made.key);
    this.serverCa = ca.certificate;
    this.#nextServerCa = undefined;
    await this.#restart();
  }

  /** A new key signs tokens, those of both are taken. */
  async prepareServiceAccountKey(): Promise<void> {
    const file = join(this.#directory.path, `service-account-${this.#flags.length}.key`);
    this.#nextServiceAccountKey = newServiceAccountKey();
    await writeFile(file, this.#nextServiceAccountKey, { mode: 0o600 });
    this.#flags.push(`--service-account-key-file=${file}`, `--service-account-signing-key-file=${file}`);
    await this.#restart();
  }

  /** Tokens of the key from before are refused. */
  async completeServiceAccountKey(): Promise<void> {
    if (!this.#nextServiceAccountKey)
      throw new Error(`${this.name} has no new key: prepareServiceAccountKey comes first`);
    // The first key cannot be taken out of the command line, but its file can hold the new one.
    await writeFile(join(this.controlPlane.directory, "service-account.key"), this.#nextServiceAccountKey);
    this.#flags.splice(1, this.#flags.length - 3);
    this.#nextServiceAccountKey = undefined;
    await this.#restart();
  }

  async stop(): Promise<void> {
    await this.#moved?.stop();
    await this.controlPlane.stop();
    await this.#directory.keeper.close();
  }

  async #restart(): Promise<void> {
    await this.controlPlane.apiServer.kill();
    await this.controlPlane.apiServer.start();
  }
}

interface Own {
  directory: KeptDirectory;
  /** Read by the API server at each start. */
  flags: string[];
  newClientCa(): Promise<KeyAndCertificate>;
}

const clientCaFile = "client-ca.pem";

function life(): { from: number; until: number } {
  return { from: systemClock.now() - 3600 * 1000, until: systemClock.now() + 10 * 365 * 24 * 3600 * 1000 };
}
