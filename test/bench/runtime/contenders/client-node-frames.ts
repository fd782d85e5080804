/** The informer of Kubernetes' own JavaScript client, as its examples start it. */
import { CoreV1Api, makeInformer, type V1Pod } from "@kubernetes/client-node";
import { report, settingsOf } from "../child.ts";
import { Stopwatch } from "../stopwatch.ts";
import { kubeConfigFor } from "./client-node.ts";

const { url, changes } = settingsOf<{ url: string; changes: number }>();
const stopwatch = new Stopwatch(changes, report);

const config = kubeConfigFor(url);
const api = config.makeApiClient(CoreV1Api);
const pods = makeInformer<V1Pod>(config, "/api/v1/pods", () => api.listPodForAllNamespaces());
pods.on("update", (pod) => stopwatch.saw(pod));
pods.on("error", (error) => {
  throw error;
});
await pods.start();
