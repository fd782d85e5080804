/**
 * `npm run test:soak [-- minutes]`: the official client's informers beside the embedded control plane, while ConfigMaps
 * come and go and simulated pods with them. Every minute it is quiet for a moment: by then they have heard of every
 * write, and believe what the server lists. An hour unless told otherwise.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createClient, Deployments, Namespaces, systemRandom, unlimited } from "@berg/kube";
import { startLocalControlPlane } from "@berg/local-control-plane";
import { startSimulator } from "@berg/local-node";
import { CoreV1Api } from "@kubernetes/client-node";
import { Churn } from "./churn.ts";
import { Heard } from "./heard.ts";

const namespace = "soak";
const writesPerSecond = 50;
const scaleEveryMs = 5_000;
const catchUpMs = 20_000;

const minutes = Number(process.argv[2] ?? 60);
if (!(minutes > 0)) throw new Error(`want a number of minutes, not ${process.argv[2]}`);

await using stack = new AsyncDisposableStack();
const dataDir = await mkdtemp(join(tmpdir(), "berg-soak-"));
stack.defer(() => rm(dataDir, { recursive: true, force: true }));
const { apiServer } = stack.use(await startLocalControlPlane({ dataDir }));
const { connection, kubeconfig } = apiServer;
stack.use(await startSimulator({ connection, nodes: 2 }));
const client = createClient({ connection, component: "soak", rate: unlimited });
stack.defer(() => client.close());
await client.create(Namespaces, { metadata: { name: namespace } });
await client.create(Deployments, deployment());

const configMaps = new Heard(kubeconfig, `/api/v1/namespaces/${namespace}/configmaps`, (config) => {
  const api = config.makeApiClient(CoreV1Api);
  return () => api.listNamespacedConfigMap({ namespace });
});
const pods = new Heard(kubeconfig, `/api/v1/namespaces/${namespace}/pods`, (config) => {
  const api = config.makeApiClient(CoreV1Api);
  return () => api.listNamespacedPod({ namespace });
});
for (const heard of [configMaps, pods]) {
  await heard.start();
  stack.defer(() => heard.stop());
}

const churn = new Churn(client, namespace, systemRandom);
const gaps: string[] = [];
for (let minute = 1; minute <= minutes && gaps.length === 0; minute++) {
  await busy(60_000);
  gaps.push(...(await gapsByNow()));
  const { writes } = churn;
  const connects = configMaps.connects + pods.connects;
  process.stdout.write(
    `${minute} min: ${writes} writes, ${pods.revisions.size} changes of pods, ${connects} watches, ${gaps.length} gaps\n`,
  );
}
for (const gap of gaps.slice(0, 20)) process.stdout.write(`${gap}\n`);
process.exitCode = gaps.length > 0 ? 1 : 0;

async function busy(ms: number): Promise<void> {
  const until = performance.now() + ms;
  let scaleAt = 0;
  while (performance.now() < until) {
    if (performance.now() > scaleAt) {
      scaleAt = performance.now() + scaleEveryMs;
      const replicas = Math.floor(systemRandom() * 8);
      await client.patch(Deployments, namespace, "web", { type: "merge", body: { spec: { replicas } } });
    }
    await Promise.all([churn.step(), delay(1000 / writesPerSecond)]);
  }
}

/** Nobody writes; what is still under way has a moment to arrive. */
async function gapsByNow(): Promise<string[]> {
  const until = performance.now() + catchUpMs;
  for (;;) {
    const found = [
      ...[...configMaps.errors, ...pods.errors].map((error) => `an informer stopped: ${error}`),
      ...[...churn.revisions.difference(configMaps.revisions)].map((revision) => `never heard of revision ${revision}`),
      ...[...churn.gone.difference(configMaps.gone)].map((uid) => `never heard that ${uid} has gone`),
      ...(await configMaps.mistakes()),
      ...(await pods.mistakes()),
    ];
    if (found.length === 0 || performance.now() > until) return found;
    await delay(100);
  }
}

function deployment() {
  const labels = { app: "web" };
  return {
    metadata: { namespace, name: "web" },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "web" }] } },
    },
  };
}
