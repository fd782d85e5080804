/**
 * What the controller writes until an instance runs, word by word: what a program without any thought of its own would
 * have to write to get the same.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { createClient, unlimited } from "@berg/kube";
import { finalizers } from "@berg/resources";
import { FaultProxy, type Seen } from "../../faults/proxy.ts";
import type { Cluster } from "./cluster.ts";
import { startController } from "./controller.ts";

export interface RecordedWrite {
  method: string;
  path: string;
  contentType: string;
  body: string;
  resource: string;
  /** Those that were answered before this one was asked, by their place in the list. */
  after: number[];
  /** Whether it says that all pods are ready. */
  saysRunning: boolean;
}

/** The names in it are to be replaced by those of another instance. */
export interface Recording {
  ownerId: string;
  uid: string;
  writes: RecordedWrite[];
}

interface Heard {
  seen: Seen;
  body: string;
  contentType: string;
}

/** Events are written after the fact. */
const quietMs = 1000;

/** The second of two lives: the first leaves behind what all instances of a Challenge share. */
export async function recordStart(cluster: Cluster): Promise<Recording> {
  await using proxy = await FaultProxy.start(cluster.connection);
  const server = { server: proxy.connection.server, token: "added-by-the-proxy" };
  await using _controller = await startController(cluster, { server });
  const client = createClient({ connection: proxy.connection, component: "bench", rate: unlimited });
  const start = async (ownerId: string) => {
    const { metadata } = await cluster
      .instanceByHand(ownerId, client)
      .metadata({ finalizers: [finalizers.controller] })
      .create();
    await cluster.lives.of(ownerId).running.promise;
    await delay(quietMs);
    return metadata.uid;
  };
  await start(randomUUID());

  const heard: Heard[] = [];
  proxy.listen = (seen, body, headers) => {
    if (seen.method === "GET" || seen.resource === "leases") return;
    heard.push({ seen, body: body.toString("utf8"), contentType: headers["content-type"] ?? "" });
  };
  const ownerId = randomUUID();
  const uid = await start(ownerId);
  const writes = heard.map((one) => written(one, heard));
  await client.close();
  return { ownerId, uid, writes };
}

function written({ seen, body, contentType }: Heard, all: Heard[]): RecordedWrite {
  const { method, path, resource } = seen;
  const isBefore = (other: Heard) => (other.seen.answeredAt ?? Number.POSITIVE_INFINITY) < seen.at;
  const after = all.flatMap((other, place) => (isBefore(other) ? [place] : []));
  const saysRunning = seen.subresource === "status" && JSON.parse(body).status?.phase === "Running";
  return { method, path, contentType, body, resource, after, saysRunning };
}

/** Only some of the writes, in the same order. */
export function part(recording: Recording, isWanted: (write: RecordedWrite) => boolean): Recording {
  const places = recording.writes.flatMap((write, place) => (isWanted(write) ? [place] : []));
  const writes = recording.writes.filter(isWanted).map((write) => ({
    ...write,
    after: write.after.map((place) => places.indexOf(place)).filter((place) => place >= 0),
  }));
  return { ...recording, writes };
}
