/** A real gardener-apiserver behind a kube-apiserver: the flags that it needs, and its end. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "@berg/kube";
import { issueCertificate, makeCa } from "@berg/local-certificates";
import { Component, type ControlledProcess } from "../../control-plane/component.ts";
import { ask } from "../../control-plane/request.ts";
import type { Site } from "../gardener.ts";
import { register, serverName } from "./aggregation.ts";
import { gardenerBinary } from "./binary.ts";

export interface GardenerServer {
  readonly process: ControlledProcess;
  stop(): Promise<void>;
}

/** Resolves when its kinds are served by the control plane. */
export async function startGardenerServer({ controlPlane, client, directory, keeper }: Site): Promise<GardenerServer> {
  const [from, until] = [systemClock.now() - 3600_000, systemClock.now() + 10 * 24 * 3600_000];
  const ca = makeCa("gardener-ca", from, until);
  const names = ["localhost", "127.0.0.1", serverName];
  const made = issueCertificate(ca, { subject: { commonName: serverName }, usage: "server", names, from, until });
  const [certificateFile, keyFile] = [join(directory, "gardener.crt"), join(directory, "gardener.key")];
  await writeFile(certificateFile, made.certificate);
  await writeFile(keyFile, made.key, { mode: 0o600 });

  const component = new Component({
    name: "gardener-apiserver",
    binary: gardenerBinary(),
    logFile: join(directory, "gardener-apiserver.log"),
    keeper,
    flags: (port) => [
      "--bind-address=127.0.0.1",
      `--secure-port=${port}`,
      `--etcd-servers=unix://${join(controlPlane.directory, "etcd.sock")}`,
      `--tls-cert-file=${certificateFile}`,
      `--tls-private-key-file=${keyFile}`,
      "--cluster-identity=berg-test",
      "--authorization-always-allow-paths=/healthz",
      ...["authentication-kubeconfig", "authorization-kubeconfig", "kubeconfig"].map(
        (flag) => `--${flag}=${controlPlane.kubeconfig}`,
      ),
    ],
    isReady: async (port, signal) => {
      const { status } = await ask({ host: "127.0.0.1", port, path: "/healthz", ca: ca.certificate, signal });
      return status === 200;
    },
  });
  const stop = () => component.kill();
  try {
    await component.start();
    await register(client, { port: component.port, ca: ca.certificate });
    return { process: component, stop };
  } catch (error) {
    await stop();
    const log = await readFile(component.logFile, "utf8").catch(() => "");
    throw new Error(`gardener-apiserver does not serve: ${log.slice(-2000)}`, { cause: error });
  }
}
