import { type Logger, silentLogger, systemClock } from "@berg/kube";
import { expect, onTestFinished, test } from "vitest";
import { KeptThread } from "./kept-thread.ts";

const script = (text: string) =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`import { parentPort, workerData } from "node:worker_threads"; ${text}`)}`,
  );
const ready = `parentPort.postMessage("ready");`;
const stops = `parentPort.on("message", (message) => { if (message === "stop") parentPort.close(); else throw new Error(message); });`;
const patience = { timeout: 60_000 };

function thread(text: string, log: Logger = silentLogger) {
  const said: unknown[] = [];
  let tell: (message: unknown) => void = () => {};
  const kept = new KeptThread({
    file: script(text),
    data: "its data",
    onMessage: (message, reply) => {
      said.push(message);
      tell = reply;
    },
    // It dies often enough here.
    clock: { ...systemClock, setTimer: (ms, fire) => systemClock.setTimer(ms / 10, fire) },
    log,
  });
  onTestFinished(() => kept[Symbol.asyncDispose]());
  return { kept, said, tell: (message: unknown) => tell(message) };
}

test("it gets its data, says what it has to say, and ends when it is told to", async () => {
  const { kept, said } = thread(`${stops}${ready} parentPort.postMessage(workerData);`);
  await kept.start();
  await expect.poll(() => said, patience).toEqual(["its data"]);
  await kept[Symbol.asyncDispose]();
});

test("it is started again whenever it dies, and why is logged", async () => {
  const why: unknown[] = [];
  const log = { ...silentLogger, error: (fields: object) => void why.push(fields) };
  const { kept, said, tell } = thread(`${stops}${ready} parentPort.postMessage("alive");`, log);
  await kept.start();
  for (let lives = 1; lives <= 3; lives++) {
    await expect.poll(() => said.length, patience).toBe(lives);
    tell(`death ${lives}`);
  }
  await expect.poll(() => said.length, patience).toBe(4);
  expect(why).toEqual([{ error: "death 1" }, { error: "death 2" }, { error: "death 3" }]);
});

test("one that cannot begin is not tried again, and whoever started it is told", async () => {
  const { kept, said } = thread(`parentPort.postMessage("tried"); throw new Error("no port");`);
  await expect(kept.start()).rejects.toThrow("the gateway's thread cannot be started: no port");
  expect(said).toEqual(["tried"]);
});

test("one that died is not started again after it was told to stop", async () => {
  let deaths = 0;
  const { kept, said, tell } = thread(`${stops}${ready} parentPort.postMessage("alive");`, {
    ...silentLogger,
    error: () => void deaths++,
  });
  await kept.start();
  await expect.poll(() => said.length, patience).toBe(1);
  tell("death");
  await expect.poll(() => deaths, { ...patience, interval: 5 }).toBe(1);
  await kept[Symbol.asyncDispose]();
  await new Promise((done) => setTimeout(done, 1_000));
  expect(said).toHaveLength(1);
});

test("one that does not listen is ended", async () => {
  const { kept } = thread(`${ready} setInterval(() => {}, 1000);`);
  await kept.start();
  await kept[Symbol.asyncDispose]();
});
