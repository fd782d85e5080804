/** The listener's lines over our informer. A look that sees an older pod than the one before it ends the run. */
import { addLines } from "@berg/healing";
import { createMetrics, Manager, Pods, silentLogger } from "@berg/kube";
import { report, settingsOf } from "../../runtime/child.ts";
import { clientFor } from "../../runtime/contenders/client.ts";
import { firstVersion } from "../../runtime/objects.ts";

const {
  url,
  changes,
  lines,
  pods: count,
} = settingsOf<Record<"changes" | "lines" | "pods", number> & { url: string }>();
const manager = new Manager({
  component: "bench",
  client: clientFor(url),
  log: silentLogger,
  metrics: await createMetrics(),
});
const pods = manager.informer(Pods);
const last = firstVersion + changes - 1;
let startedAt = 0;
pods.onChange(({ type }) => {
  if (type === "updated" && startedAt === 0) startedAt = performance.now();
});

/** By UID, the version that was looked at last. */
const seen = new Map<string, number>();
let settled = 0;
addLines(manager, pods, lines, async (uid, pod) => {
  const version = Number(pod?.metadata.resourceVersion);
  const before = seen.get(uid) ?? 0;
  if (!(version >= before)) throw new Error(`${uid} was seen at ${version} after ${before}`);
  seen.set(uid, version);
  // Each pod changes for the last time within the last `count` changes.
  if (version > last - count && before <= last - count) settled++;
  if (settled === count) report({ events: changes, perSecond: changes / ((performance.now() - startedAt) / 1000) });
  return undefined;
});
await manager.run(new AbortController().signal);
