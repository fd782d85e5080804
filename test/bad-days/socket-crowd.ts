/** Thousands of pages that lose their connections at once and connect again without a pause. */
import { setTimeout as delay } from "node:timers/promises";
import { WebSocket } from "ws";
import { sourceAddress } from "../bench/api/crowd.ts";
import type { Stage } from "./days.ts";
import { serving } from "./load.ts";
import type { Member } from "./members.ts";

const retryMs = 500;

/** Opens them all, and kills one replica of two: those of the other are cut too, so that all come to the one left. */
export async function reconnectAll({ cluster, members }: Stage, count: number): Promise<() => Promise<void>> {
  let sockets: WebSocket[] = [];
  let isOver = false;
  const openAll = async () => {
    const opening = Array.from({ length: count }, (_, index) => connect(index));
    sockets = await Promise.all(opening);
  };
  const connect = async (index: number): Promise<WebSocket> => {
    for (;;) {
      const replicas = serving(cluster);
      const port = replicas[index % replicas.length]?.port ?? 0;
      const socket = await greeted(port, index, members[index % members.length] as Member, cluster.publicUrl);
      if (socket) return socket;
      if (isOver) throw new Error("the sockets did not connect again");
      await delay(retryMs);
    }
  };
  await openAll();
  const [replica] = serving(cluster);
  await replica?.kill();
  for (const socket of sockets) socket.terminate();
  const again = openAll();
  return async () => {
    const late = setTimeout(() => (isOver = true), 60_000);
    await again;
    clearTimeout(late);
    for (const socket of sockets) socket.terminate();
    await cluster.addReplica();
  };
}

/** Once it knows whose it is. */
function greeted(
  port: number,
  index: number,
  { id, cookie }: Member,
  publicUrl: string,
): Promise<WebSocket | undefined> {
  return new Promise((resolve) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/api/events`, {
      headers: { host: new URL(publicUrl).host, origin: publicUrl, cookie },
      localAddress: sourceAddress(index),
      perMessageDeflate: false,
      handshakeTimeout: 30_000,
    });
    socket.on("error", () => resolve(undefined));
    socket.on("close", () => resolve(undefined));
    socket.on("message", (data) => {
      if (data.toString().includes(`"current-player","message":"${id}"`)) resolve(socket);
    });
  });
}
