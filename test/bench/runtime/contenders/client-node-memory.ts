/** The same in the informers of Kubernetes' own JavaScript client. */
import { CoreV1Api, CustomObjectsApi, makeInformer } from "@kubernetes/client-node";
import { report, settingsOf } from "../child.ts";
import { kubeConfigFor } from "./client-node.ts";
import { settledMemory } from "./memory.ts";

const { url } = settingsOf<{ url: string }>();
const config = kubeConfigFor(url);
const core = config.makeApiClient(CoreV1Api);
const custom = config.makeApiClient(CustomObjectsApi);
const kind = { group: "berg.norelect.ch", version: "v1", plural: "challengeinstances" };
const pods = makeInformer(config, "/api/v1/pods", () => core.listPodForAllNamespaces());
const instances = makeInformer(config, `/apis/${kind.group}/${kind.version}/${kind.plural}`, () =>
  custom.listClusterCustomObject(kind),
);
const started = performance.now();
for (const informer of [pods, instances]) await informer.start();
const seconds = (performance.now() - started) / 1000;
report({ ...(await settledMemory()), objects: pods.list().length + instances.list().length, seconds });
