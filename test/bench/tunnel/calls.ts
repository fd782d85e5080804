/** Small echoes, on connections that are kept or on a new one each time: a load in a process of its own. */
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { quantile } from "../instances/pace.ts";
import { report, settingsOf } from "../runtime/child.ts";
import type { Site } from "./contender.ts";

export interface CallSettings extends Site {
  /** Each waits for its answer before it asks again. */
  users: number;
  connection: "kept" | "new";
  warmUpMs: number;
  measureMs: number;
}

export interface Calls {
  perSecond: number;
  /** From asking, or from connecting, to the whole answer. */
  p50Ms: number;
  p99Ms: number;
  /** Reset, refused, or without an answer for long. */
  failed: number;
}

const message = Buffer.from("a line as a player may type it\r\n");
const patienceMs = 10_000;
const leastCalls = 10;
const slownessMs = 60_000;
/** After one that failed, so that it is not the failing that is measured. */
const pauseMs = 20;

const settings = settingsOf<CallSettings>();
let delays: number[] = [];
let failed = 0;
let isOver = false;
const users = Array.from({ length: settings.users }, settings.connection === "new" ? visit : stay);
await Promise.race([Promise.all(users), delay(settings.warmUpMs)]);
[delays, failed] = [[], 0];
const started = performance.now();
await Promise.race([Promise.all(users), enough()]);
isOver = true;
const measured: Calls = {
  perSecond: delays.length / ((performance.now() - started) / 1000),
  p50Ms: quantile(delays, 0.5),
  p99Ms: quantile(delays, 0.99),
  failed,
};
report(measured);

/** So long, and longer where that gives no quantile to speak of. */
async function enough(): Promise<void> {
  await delay(settings.measureMs);
  while (delays.length < leastCalls) {
    if (performance.now() - started > settings.measureMs + slownessMs)
      throw new Error(`only ${delays.length} got an answer, and ${failed} failed`);
    await delay(pauseMs);
  }
}

/** Comes, asks, and goes, again and again. Who has the answer goes at once: what is left to do is for the kernel. */
async function visit(): Promise<void> {
  while (!isOver) {
    const began = performance.now();
    const socket = open();
    try {
      socket.write("e");
      await ask(socket);
      delays.push(performance.now() - began);
    } catch {
      failed++;
      await delay(pauseMs);
    }
    socket.destroy();
  }
}

async function stay(): Promise<void> {
  const socket = open();
  socket.write("e");
  while (!isOver) {
    const began = performance.now();
    await ask(socket);
    delays.push(performance.now() - began);
  }
}

function open(): Socket {
  const socket = connect({ host: settings.host, port: settings.port, noDelay: true });
  socket.setTimeout(patienceMs, () => socket.destroy(new Error("no answer")));
  // Whoever waits hears of it by "close".
  socket.on("error", () => {});
  return socket;
}

function ask(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    let left = message.length;
    const onData = (data: Buffer) => {
      left -= data.length;
      if (left > 0) return;
      socket.off("data", onData).off("close", onClose);
      resolve();
    };
    const onClose = () => reject(new Error("the connection was closed without an answer"));
    socket.on("data", onData).on("close", onClose);
    socket.write(message);
  });
}
