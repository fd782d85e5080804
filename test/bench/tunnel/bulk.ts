/** As much as passes, one way, on some connections: a load in a process of its own. Only what arrived counts. */
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { report, settingsOf } from "../runtime/child.ts";
import type { Site } from "./contender.ts";

export interface BulkSettings extends Site {
  direction: "download" | "upload";
  streams: number;
  warmUpMs: number;
  measureMs: number;
}

export interface Bulk {
  gigabitsPerSecond: number;
}

const acknowledgedBytes = 1024 * 1024;
const chunk = Buffer.alloc(256 * 1024);

const settings = settingsOf<BulkSettings>();
let bytes = 0;
const streams = Array.from({ length: settings.streams }, () =>
  settings.direction === "download" ? download() : upload(),
);
await Promise.race([...streams, delay(settings.warmUpMs)]);
bytes = 0;
const started = performance.now();
await Promise.race([...streams, delay(settings.measureMs)]);
const seconds = (performance.now() - started) / 1000;
const measured: Bulk = { gigabitsPerSecond: (bytes * 8) / 1e9 / seconds };
report(measured);

/** One buffer for all that comes: it costs little beside what it measures. */
function download(): Promise<never> {
  const onread = {
    buffer: Buffer.alloc(256 * 1024),
    callback(length: number) {
      bytes += length;
      return true;
    },
  };
  const socket = connect({ host: settings.host, port: settings.port, onread });
  socket.write("d");
  return broken(socket);
}

function upload(): Promise<never> {
  const socket = connect({ host: settings.host, port: settings.port });
  const fill = () => {
    while (socket.write(chunk));
  };
  socket.on("data", (acknowledged) => {
    bytes += acknowledged.length * acknowledgedBytes;
  });
  socket.on("drain", fill);
  socket.write("u");
  fill();
  return broken(socket);
}

/** Never resolves; rejects where the connection ends. */
function broken(socket: Socket): Promise<never> {
  return new Promise((_, reject) => {
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("a connection was closed while it was measured")));
  });
}
