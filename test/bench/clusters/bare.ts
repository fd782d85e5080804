/**
 * The bare client: as many writes of each verb to each server, always so many under way, of plain ConfigMaps (in the
 * garden of Shoots, so that its gardenlet has as much to do). It watches nothing, reads nothing and decides nothing; it
 * speaks through Node's own HTTPS.
 */
import { Agent, request } from "node:https";
import { sampleShoot } from "../../gardener/samples.ts";
import type { Server } from "../instances/connect.ts";
import { inFlight } from "../instances/pace.ts";
import { report, settingsOf } from "../runtime/child.ts";
import { type Counts, isOfLease, isWrite, total } from "./counts.ts";

export interface BareSettings {
  limit: number;
  /** Where Shoots are. */
  namespace: string;
  places: (Server & { counts: Counts })[];
}

export interface BareWork {
  seconds: number;
}

const settings = settingsOf<BareSettings>();

interface Write {
  place: Server;
  method: string;
  path: string;
  body?: object;
}

const configMaps = "/api/v1/namespaces/default/configmaps";
const reviews = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
/** About what one of our objects weighs. */
const data = { text: "x".repeat(1500) };
const agents = new Map(settings.places.map((place) => [place as Server, new Agent({ keepAlive: true, ca: place.ca })]));

const started = performance.now();
for (const stage of [creations, changes, deletions]) {
  const writes = mixed(settings.places.map((place) => stage(place)));
  let next = 0;
  await inFlight(writes.length, settings.limit, () => send(writes[next++] as Write));
}
report({ seconds: (performance.now() - started) / 1000 } satisfies BareWork);

function creations(place: BareSettings["places"][number]): Write[] {
  const { counts } = place;
  const unstored = (kind: string) => /\/token$|reviews$|\/adminkubeconfig$/.test(kind);
  const shoots = many(counts["create shoots"] ?? 0, (n) => ({
    path: `/apis/core.gardener.cloud/v1beta1/namespaces/${settings.namespace}/shoots`,
    body: { apiVersion: "core.gardener.cloud/v1beta1", kind: "Shoot", ...sampleShoot(settings.namespace, `bare-${n}`) },
  }));
  // At least one, to be changed.
  const stored = many(Math.max(1, of(counts, "create", (kind) => !unstored(kind)) - shoots.length), (n) => ({
    path: configMaps,
    body: { metadata: { name: `bare-${n}` }, data },
  }));
  const asked = many(of(counts, "create", unstored), () => ({
    path: reviews,
    body: { spec: { namespace: "default" } },
  }));
  return [...shoots, ...stored, ...asked].map((write) => ({ place, method: "POST", ...write }));
}

/** Of what was created, in turn; what changes is a few characters. */
function changes(place: BareSettings["places"][number]): Write[] {
  const { counts } = place;
  const count = of(counts, "update") + of(counts, "patch") + of(counts, "apply");
  const there = creations(place).filter(({ path }) => path === configMaps).length;
  return many(count, (n) => ({ path: `${configMaps}/bare-${n % there}`, body: { data: { changed: String(n) } } })).map(
    (write) => ({ place, method: "PATCH", ...write }),
  );
}

function deletions(place: BareSettings["places"][number]): Write[] {
  return many(of(place.counts, "delete"), (n) => ({ place, method: "DELETE", path: `${configMaps}/bare-${n}` }));
}

function of(counts: Counts, verb: string, isWanted: (kind: string) => boolean = () => true): number {
  return total(counts, (kind) => isWrite(kind) && !isOfLease(kind) && kind.startsWith(`${verb} `) && isWanted(kind));
}

function many<T>(count: number, make: (n: number) => T): T[] {
  return Array.from({ length: count }, (_, n) => make(n));
}

/** Of each in turn, so that no server waits for another. */
function mixed(lists: Write[][]): Write[] {
  const places = lists.flatMap((list) => list.map((write, n) => ({ write, at: n / list.length })));
  return places.sort((a, b) => a.at - b.at).map(({ write }) => write);
}

function send({ place, method, path, body }: Write): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const text = body === undefined ? "" : JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${place.token}`,
    "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json",
    "content-length": Buffer.byteLength(text),
    accept: "application/json",
  };
  const agent = agents.get(place);
  const sent = request(new URL(path, place.server), { method, headers, ...(agent && { agent }) }, (response) => {
    const chunks: Buffer[] = [];
    response.on("data", (chunk) => chunks.push(chunk));
    response.on("error", reject);
    response.on("end", () => {
      if ((response.statusCode ?? 500) < 300) return resolve();
      const why = Buffer.concat(chunks).toString("utf8").slice(0, 300);
      reject(new Error(`${method} ${path}: ${response.statusCode} ${why}`));
    });
  });
  sent.on("error", reject);
  sent.end(text);
  return promise;
}
