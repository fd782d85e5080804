/** An address of a target that stays, while proxies behind it come and go: a kubeconfig outlives whoever has issued it. */
import { systemClock } from "@berg/kube";
import { issueCertificate, type KeyAndCertificate, makeCa } from "@berg/local-certificates";
import type { FaultProxy } from "../../faults/proxy.ts";
import { type Forwarder, startForwarder } from "../../gardener/forwarder.ts";

const day = 24 * 3600 * 1000;
const life = { from: systemClock.now() - day, until: systemClock.now() + day };
const ca = makeCa("target-ca", life.from, life.until);
const subject = { commonName: "target" };
const { key, certificate } = issueCertificate(ca, { subject, usage: "server", names: ["127.0.0.1"], ...life });

export class Door {
  /** PEM: whom to trust here. */
  readonly serverCa = ca.certificate;
  /** Its certificates are shown to nobody: whoever comes without a token is an administrator to the proxy. */
  readonly clientCa: KeyAndCertificate = ca;
  #port = 0;
  #forwarder: Forwarder | undefined;

  static async start(): Promise<Door> {
    const door = new Door();
    door.#forwarder = await startForwarder(() => door.#port, { key, cert: certificate });
    return door;
  }

  get server(): string {
    return this.#forwarder?.url ?? "";
  }

  leadTo({ connection }: FaultProxy): void {
    this.#port = Number(new URL(connection.server).port);
  }

  async stop(): Promise<void> {
    await this.#forwarder?.stop();
  }
}
