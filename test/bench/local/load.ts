/**
 * A small load generator in a process of its own: connections that are kept, on each of them one request after the other.
 * It reads of an answer what it must to know where it ends, so that it costs little beside what it measures.
 */
import { connect } from "node:net";
import { report, settingsOf } from "../runtime/child.ts";
import type { Site } from "./first-byte.ts";

export interface LoadSettings extends Site {
  path: string;
  connections: number;
  warmUpMs: number;
  measureMs: number;
}

export interface Load {
  requestsPerSecond: number;
  gigabitsPerSecond: number;
}

const settings = settingsOf<LoadSettings>();
let requests = 0;
let bytes = 0;
const lanes = Array.from({ length: settings.connections }, () => openLane(settings));
await Promise.race([...lanes, sleep(settings.warmUpMs)]);
[requests, bytes] = [0, 0];
const started = performance.now();
await Promise.race([...lanes, sleep(settings.measureMs)]);
const seconds = (performance.now() - started) / 1000;
const measured: Load = { requestsPerSecond: requests / seconds, gigabitsPerSecond: (bytes * 8) / 1e9 / seconds };
report(measured);

/** Never resolves; rejects where the connection ends, or an answer is not a good one. */
function openLane({ host, port, hostname, path }: LoadSettings): Promise<never> {
  const request = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
  return new Promise((_, reject) => {
    const socket = connect({ port, host, noDelay: true });
    /** Of the answer's head, while it is not complete. */
    let head = "";
    let left = 0;
    socket.on("connect", () => socket.write(request));
    socket.on("data", (chunk) => {
      bytes += chunk.length;
      if (left === 0) {
        head += chunk.toString("latin1");
        const end = head.indexOf("\r\n\r\n");
        if (end < 0) return;
        const length = /\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1];
        if (!head.startsWith("HTTP/1.1 200 ") || length === undefined) {
          reject(new Error(`an answer that was not expected: ${head.slice(0, 300)}`));
          socket.destroy();
          return;
        }
        left = Number(length) - (head.length - end - 4);
        head = "";
      } else left -= chunk.length;
      if (left > 0) return;
      requests++;
      socket.write(request);
    });
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("the connection was closed")));
  });
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
