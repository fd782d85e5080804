/** Pods and ChallengeInstances in our informers, with all their defaults. */
import { Informer, Pods } from "@berg/kube";
import { ChallengeInstances } from "@berg/resources";
import { report, settingsOf } from "../child.ts";
import { clientFor } from "./client.ts";
import { settledMemory } from "./memory.ts";

const { url } = settingsOf<{ url: string }>();
const client = clientFor(url);
const { signal } = new AbortController();
const pods = new Informer({ client, type: Pods });
const instances = new Informer({ client, type: ChallengeInstances });
const started = performance.now();
for (const informer of [pods, instances]) {
  void informer.run(signal);
  await informer.synced();
}
const seconds = (performance.now() - started) / 1000;
report({ ...(await settledMemory()), objects: pods.size + instances.size, seconds });
