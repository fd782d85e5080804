/** The flags of kube-apiserver: what a stock cluster has, on 127.0.0.1. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Component } from "./component.ts";
import type { Site } from "./control-plane.ts";
import type { User } from "./credentials.ts";
import { ask } from "./request.ts";

export function apiServer(site: Site, admin: User, moreFlags: readonly string[]): Component {
  const { directory, binaries, keeper } = site;
  return new Component({
    name: "kube-apiserver",
    binary: join(binaries, "kube-apiserver"),
    logFile: join(directory, "kube-apiserver.log"),
    keeper,
    flags: (port) => [
      `--etcd-servers=unix://${join(directory, "etcd.sock")}`,
      "--bind-address=127.0.0.1",
      // Without it a machine that has no network cannot start one.
      "--advertise-address=127.0.0.1",
      // An Endpoints object may not hold a loopback address; no pod here would use it anyway.
      "--endpoint-reconciler-type=none",
      `--secure-port=${port}`,
      `--cert-dir=${directory}`,
      `--token-auth-file=${site.tokenFile}`,
      "--authorization-mode=Node,RBAC",
      "--allow-privileged=true",
      // A node's name means nothing to the machine's resolver.
      "--kubelet-preferred-address-types=InternalIP",
      "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
      `--service-account-key-file=${site.serviceAccountKey}`,
      `--service-account-signing-key-file=${site.serviceAccountKey}`,
      "--service-cluster-ip-range=10.96.0.0/16",
      ...moreFlags,
    ],
    // /readyz does not wait for the namespaces that the server makes for itself.
    isReady: async (port, signal) =>
      (await get(site, port, admin, "/readyz", signal)) && get(site, port, admin, "/api/v1/namespaces/default", signal),
  });
}

/** Whether the API server has something at `path`. */
export async function get(
  site: Site,
  port: number,
  user: User,
  path: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const headers = { authorization: `Bearer ${user.token}` };
  const ca = await readFile(site.apiServerCa);
  const { status } = await ask({ host: "127.0.0.1", port, path, headers, ca, signal });
  return status === 200;
}
