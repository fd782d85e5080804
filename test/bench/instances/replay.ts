/**
 * The bare client: sends the controller's recorded writes for instance after instance, with other names, each when those
 * before it are answered. It watches nothing, keeps nothing and decides nothing; it speaks through Node's own HTTPS.
 */
import { randomUUID } from "node:crypto";
import { Agent, request } from "node:https";
import { createClient, Informer, isConditionTrue, Pods } from "@berg/kube";
import { labels, managedByBerg } from "@berg/resources";
import { connectionWith } from "../../control-plane/credentials.ts";
import { report, settingsOf } from "../runtime/child.ts";
import type { Server } from "./connect.ts";
import { atRate, inFlight } from "./pace.ts";
import type { RecordedWrite, Recording } from "./recording.ts";

export interface ReplaySettings extends Server {
  recording: Recording;
  warmUp: number;
  count: number;
  /** As many at a time, or as many a second. */
  pace: { inFlight: number } | { perSecond: number };
  /** Says Running only when the pod is ready, as the controller has to. */
  waitsForPods: boolean;
}

export interface Replayed {
  seconds: number;
  ownerIds: string[];
}

const settings = settingsOf<ReplaySettings>();
const { recording } = settings;
const agent = new Agent({ keepAlive: true, ca: settings.ca });
const podsReady = new Map<string, PromiseWithResolvers<void>>();
if (settings.waitsForPods) await watchPods();

const run = async (count: number) => {
  const ownerIds: string[] = [];
  const started = performance.now();
  const { pace } = settings;
  const one = async () => {
    const ownerId = randomUUID();
    ownerIds.push(ownerId);
    await replay(ownerId);
  };
  if ("inFlight" in pace) await inFlight(count, pace.inFlight, one);
  else await atRate(pace.perSecond, count, one);
  return { seconds: (performance.now() - started) / 1000, ownerIds };
};
await run(settings.warmUp);
report((await run(settings.count)) satisfies Replayed);

async function replay(ownerId: string): Promise<void> {
  let { uid, version } = { uid: randomUUID() as string, version: "" };
  const answers: Promise<void>[] = [];
  const write = async ({ after, saysRunning, resource, ...recorded }: RecordedWrite) => {
    await Promise.all(after.map((place) => answers[place]));
    if (saysRunning && settings.waitsForPods) await readyPods(ownerId).promise;
    const renamed = (text: string) => text.replaceAll(recording.ownerId, ownerId).replaceAll(recording.uid, uid);
    const isInstance = resource === "challengeinstances";
    const body = renamed(recorded.body);
    const current = isInstance ? body.replace(/"resourceVersion":"\d+"/, `"resourceVersion":"${version}"`) : body;
    const answer = await send({ ...recorded, path: renamed(recorded.path), body: current });
    if (isInstance) ({ uid, resourceVersion: version } = JSON.parse(answer).metadata);
  };
  for (const recorded of recording.writes) answers.push(write(recorded));
  await Promise.all(answers);
}

function send({ method, path, contentType, body }: Omit<RecordedWrite, "after" | "saysRunning" | "resource">) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const headers = {
    authorization: `Bearer ${settings.token}`,
    "content-type": contentType,
    "content-length": Buffer.byteLength(body),
    accept: "application/json",
  };
  const sent = request(new URL(path, settings.server), { method, headers, agent }, (response) => {
    const chunks: Buffer[] = [];
    response.on("data", (chunk) => chunks.push(chunk));
    response.on("error", reject);
    response.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8");
      if ((response.statusCode ?? 500) < 300) resolve(text);
      else reject(new Error(`${method} ${path}: ${response.statusCode} ${text.slice(0, 300)}`));
    });
  });
  sent.on("error", reject);
  sent.end(body);
  return promise;
}

function readyPods(ownerId: string): PromiseWithResolvers<void> {
  const known = podsReady.get(ownerId) ?? Promise.withResolvers<void>();
  podsReady.set(ownerId, known);
  return known;
}

async function watchPods(): Promise<void> {
  const client = createClient({ connection: connectionWith(settings), component: "bench" });
  const selection = { labelSelector: `${labels.managedBy}=${managedByBerg}` };
  const pods = new Informer({ client, type: Pods, selection });
  pods.onChange(({ object: { metadata, status } }) => {
    if (isConditionTrue(status?.conditions, "Ready")) readyPods(metadata.labels?.[labels.ownerId] ?? "").resolve();
  });
  void pods.run(new AbortController().signal);
  await pods.synced();
}
