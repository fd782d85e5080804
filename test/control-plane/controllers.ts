/** kube-controller-manager and kube-scheduler, each under its own user as in a stock cluster. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { BinaryName } from "./binaries.ts";
import { Component } from "./component.ts";
import type { Site } from "./control-plane.ts";
import { ask } from "./request.ts";

export function controllerManager(site: Site, kubeconfig: string, moreFlags: readonly string[]): Component {
  return controller(site, "kube-controller-manager", kubeconfig, [
    "--use-service-account-credentials",
    `--service-account-private-key-file=${site.serviceAccountKey}`,
    `--root-ca-file=${site.apiServerCa}`,
    // At the stock 20 requests a second it takes 4 seconds to sign all its controllers in.
    "--kube-api-qps=200",
    "--kube-api-burst=400",
    // Namespaces are what the tests make and delete most.
    "--concurrent-namespace-syncs=50",
    ...moreFlags,
  ]);
}

export function scheduler(site: Site, kubeconfig: string, moreFlags: readonly string[]): Component {
  return controller(site, "kube-scheduler", kubeconfig, moreFlags);
}

function controller(site: Site, name: BinaryName, kubeconfig: string, moreFlags: readonly string[]): Component {
  const { directory, binaries, keeper } = site;
  return new Component({
    name,
    binary: join(binaries, name),
    logFile: join(directory, `${name}.log`),
    keeper,
    flags: (port) => [
      `--kubeconfig=${kubeconfig}`,
      "--bind-address=127.0.0.1",
      `--secure-port=${port}`,
      `--cert-dir=${directory}`,
      "--leader-elect=false",
      ...moreFlags,
    ],
    async isReady(port, signal) {
      const ca = await readFile(join(directory, `${name}.crt`));
      const { status } = await ask({ host: "127.0.0.1", port, path: "/healthz", ca, signal });
      return status === 200;
    },
  });
}
