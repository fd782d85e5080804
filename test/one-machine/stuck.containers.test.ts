/** Containers that do not get well by themselves: their owner reads why, in plain words. */
import { readFile } from "node:fs/promises";
import type { Stored } from "@berg/apimachinery";
import { imageArchive } from "@berg/local-node";
import { type ChallengeInstance, ChallengeInstances, Challenges } from "@berg/resources";
import { beforeAll, expect, test, vi } from "vitest";
import { onOneMachine } from "./on-one-machine.ts";

/** Nobody waits for minutes here. */
const hasty = { STUCK_IGNORE_YOUNGER: "1s", STUCK_ERROR_AFTER: "2s", STUCK_CRASHES: "1" };
const soon = { timeout: 110_000, interval: 200 };
/** Nobody listens there. */
const nowhere = "127.0.0.1:1/nowhere:1";

onOneMachine((given) => {
  const image = async (name: string, ...command: string[]) => {
    const busybox = { content: await readFile("/bin/busybox"), mode: 0o755 };
    await given.machine.engine.loadImage(imageArchive({ name, layers: [{ "/bin/busybox": busybox }], command }));
  };

  async function start(name: string, container: object): Promise<string> {
    const client = await given.machine.client();
    const spec = { containers: [{ hostname: "web", ports: [], ...container }] } as never;
    await client.create(Challenges, { metadata: { namespace: "berg", name }, spec });
    return (await given.machine.startInstance(name, "--no-wait")).name;
  }

  async function untilIn(name: string, phase: string): Promise<Stored<ChallengeInstance>> {
    const client = await given.machine.client();
    return vi.waitFor(async () => {
      const instance = await client.get(ChallengeInstances, "berg", name);
      expect(instance.status?.phase).toBe(phase);
      return instance;
    }, soon);
  }

  /** To whoever asks on the command line. */
  async function expectTold(name: string, text: string): Promise<void> {
    for (const args of [["show", name], ["list"]])
      expect((await given.machine.berg("instance", ...args)).stdout).toContain(args[0] === "list" ? "Failed" : text);
  }

  beforeAll(async () => {
    await image("berg.local/ends:1", "/bin/busybox", "sh", "-c", "exit 7");
    await image("berg.local/eats:1", "/bin/busybox", "tail", "/dev/zero");
  });

  test.concurrent("an image that cannot be pulled has failed, and runs when it can", async () => {
    const name = await start("nowhere", { image: nowhere });
    const { status } = await untilIn(name, "Failed");
    const message = `Container web: the image ${nowhere} cannot be pulled: the registry is not reached`;
    expect(status).toMatchObject({ reason: "ImageCannotBePulled", message });
    await expectTold(name, message);
    await image(nowhere, "/bin/busybox", "sleep", "1000");
    expect((await untilIn(name, "Running")).status).not.toHaveProperty("message");
  });

  test.concurrent("a container that ends again and again has failed", async () => {
    const name = await start("ends", { image: "berg.local/ends:1" });
    const { status } = await untilIn(name, "Failed");
    const message = "Container web: it ends by itself (exit code 7)";
    expect(status).toMatchObject({ reason: "ContainerCrashes", message });
    await expectTold(name, message);
  });

  test.concurrent("a container that uses more memory than it may has failed", async () => {
    const name = await start("eats", { image: "berg.local/eats:1", resourceLimits: { memory: "16Mi" } });
    const { status } = await untilIn(name, "Failed");
    const message = "Container web: it was stopped because it used more memory than it may";
    expect(status).toMatchObject({ reason: "OutOfMemory", message });
    await expectTold(name, message);
  });
}, hasty);
