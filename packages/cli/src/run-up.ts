import { resolve } from "node:path";
import { runProcess } from "@berg/kube";
import { startLocalControlPlane } from "@berg/local-control-plane";
import { startSimulator } from "@berg/local-node";
import { createLog } from "./log.ts";
import { version } from "./version.ts";

interface UpOptions {
  dataDir: string;
  host: string;
  port: number;
  nodes: number;
}

/** Runs until it is told to stop. What is said on the way is for people; trouble is logged as elsewhere. */
export async function runUp({ dataDir, host, port, nodes }: UpOptions): Promise<void> {
  const log = createLog("warn");
  await runProcess(log, async (stop) => {
    const directory = resolve(dataDir);
    await using controlPlane = await startLocalControlPlane({ dataDir: directory, host, port, log });
    const { apiServer } = controlPlane;
    await using _simulator =
      nodes > 0 ? await startSimulator({ connection: apiServer.connection, nodes, scheduler: "real", log }) : undefined;
    process.stdout.write(greeting(apiServer.url, directory, nodes));
    const stopped = new Promise<void>((done) => stop.addEventListener("abort", () => done(), { once: true }));
    await Promise.race([stopped, controlPlane.failed]);
  });
}

function greeting(url: string, directory: string, nodes: number): string {
  const where = nodes === 0 ? "none: pods wait" : `${nodes}, simulated: pods become Ready, and no container runs`;
  return `berg ${version}: a Kubernetes control plane on this machine

  API server   ${url}
  nodes        ${where}
  data         ${directory}

Try:
  export KUBECONFIG=${directory}/kubeconfig
  kubectl get namespaces

Ctrl-C stops it; the next start finds everything again.
`;
}
