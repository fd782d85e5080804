/**
 * An API server in a process of its own, as fast as a socket: every byte is made before the first request comes.
 *
 * It knows pods and ChallengeInstances, answers lists whole, streams them where asked to, and sends to whoever watches
 * pods one change after the other as fast as they are read. Each frame is one HTTP chunk, as kube-apiserver sends them.
 */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { initialEventsEnd, type KubeObject } from "@berg/apimachinery";
import { report, settingsOf } from "./child.ts";
import { changeFrames, firstVersion, frame, makeInstance, makePod } from "./objects.ts";

export interface ServerSettings {
  pods: number;
  instances: number;
  /** How many changes follow, spread over all pods. */
  changes: number;
}

interface Resource {
  list: Buffer;
  initialEvents: Buffer;
  changes: Buffer;
}

const settings = settingsOf<ServerSettings>();
const listVersion = firstVersion - 1;

const resources: Record<string, Resource> = {
  "/api/v1/pods": resourceOf(
    "v1",
    "Pod",
    Array.from({ length: settings.pods }, (_, index) => makePod(index, index + 1)),
    Buffer.concat([...changeFrames(settings.pods, settings.changes)].map(chunk)),
  ),
  "/apis/berg.norelect.ch/v1/challengeinstances": resourceOf(
    "berg.norelect.ch/v1",
    "ChallengeInstance",
    Array.from({ length: settings.instances }, (_, index) => makeInstance(index, index + 1)),
    Buffer.alloc(0),
  ),
};

function resourceOf(apiVersion: string, kind: string, objects: KubeObject[], changes: Buffer): Resource {
  const metadata = { resourceVersion: String(listVersion) };
  const end = { apiVersion, kind, metadata: { ...metadata, annotations: { [initialEventsEnd]: "true" } } };
  return {
    list: Buffer.from(JSON.stringify({ kind: `${kind}List`, apiVersion, metadata, items: objects })),
    initialEvents: Buffer.concat([
      ...objects.map((object) => chunk(frame("ADDED", object))),
      chunk(`${JSON.stringify({ type: "BOOKMARK", object: end })}\n`),
    ]),
    changes,
  };
}

function chunk(text: string): Buffer {
  return Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
}

const pieceBytes = 1024 * 1024;

/** Writes below HTTP, since the chunks are made already. */
async function send({ socket }: ServerResponse, bytes: Buffer): Promise<void> {
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    if (!socket || socket.destroyed) return;
    const piece = bytes.subarray(start, start + pieceBytes);
    await new Promise<void>((written) => socket.write(piece, () => written()));
  }
}

const server = createServer(async (request, response) => {
  const url = new URL(request.url ?? "", "http://server");
  const resource = resources[url.pathname];
  if (!resource) {
    response.writeHead(404).end();
    return;
  }
  response.setHeader("content-type", "application/json");
  if (!url.searchParams.has("watch")) {
    response.end(resource.list);
    return;
  }
  response.setHeader("transfer-encoding", "chunked");
  response.flushHeaders();
  if (url.searchParams.has("sendInitialEvents")) await send(response, resource.initialEvents);
  await send(response, resource.changes);
});

server.listen(0, "127.0.0.1", () => {
  report({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
