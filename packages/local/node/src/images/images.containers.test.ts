import type { Secret } from "@berg/kube";
import { onEachEngine, startRegistry, type TestRegistry } from "@berg/test/engine";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ImageEvent, type ImageRequest, Images } from "./images.ts";
import { pauseImage } from "./pause.ts";

onEachEngine((given) => {
  let registry: TestRegistry;
  let closed: TestRegistry;
  beforeAll(async () => {
    registry = await startRegistry(given.real.hostAddress);
    closed = await startRegistry(given.real.hostAddress, true);
  });
  afterAll(async () => {
    await registry[Symbol.asyncDispose]();
    await closed[Symbol.asyncDispose]();
  });

  const ask = async (image: string, more: Partial<ImageRequest> = {}) => {
    using images = new Images(given.engine);
    const events: ImageEvent[] = [];
    const request = {
      podUid: "u",
      image,
      pullSecrets: [],
      onEvent: (event: ImageEvent) => events.push(event),
      ...more,
    };
    const outcome = await images.ensure(request);
    return { outcome, told: events.map(({ message }) => message).join("\n") };
  };
  const pullSecret = (password: string): Secret => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "pull" },
    type: "kubernetes.io/dockerconfigjson",
    data: {
      ".dockerconfigjson": Buffer.from(
        JSON.stringify({ auths: { [closed.address]: { username: "bob", password } } }),
      ).toString("base64"),
    },
  });

  test("an image comes from its registry by tag, is there afterwards, and comes by digest", async () => {
    const name = `${registry.address}/team/web:1`;
    const { outcome, told } = await ask(name);
    expect(outcome).toMatchObject({ kind: "present", image: { command: ["/hello"] } });
    expect(told).toMatch(/^Pulling image "[^"]*"\nSuccessfully pulled image "[^"]*" in .*s \(.*s including waiting\)/);
    expect((await ask(name)).told).toMatch(/already present on machine/);
    const image = await given.engine.inspectImage(name);
    const [digest] = image?.digests ?? [];
    expect(digest).toMatch(/\/team\/web@sha256:[0-9a-f]{64}$/);
    expect((await ask(digest ?? "", { policy: "Always" })).outcome).toMatchObject({ image: { id: image?.id } });
  });

  test("a private image comes with the right sign-in alone, which nobody is told", async () => {
    const name = `${closed.address}/team/web:1`;
    for (const pullSecrets of [[], [pullSecret("wrong-hunter")]]) {
      const { outcome, told } = await ask(name, { pullSecrets });
      expect(outcome).toMatchObject({ kind: "waiting", reason: "ErrImagePull" });
      expect(told).toMatch(/Failed to pull image .*(unauthorized|authentication required|no basic auth)/);
      expect(told).not.toMatch(/hunter/);
    }
    expect((await ask(name, { pullSecrets: [pullSecret("hunter2")] })).outcome).toMatchObject({ kind: "present" });
  });

  test.each(["team/web:2", "team/nothing:1"])("%s, which is not there, is said to be unknown", async (name) => {
    const { outcome, told } = await ask(`${registry.address}/${name}`);
    expect(outcome).toMatchObject({
      reason: "ErrImagePull",
      message: expect.stringMatching(/manifest unknown|not found/),
    });
    expect(told).toMatch(/Error: ErrImagePull$/);
  });

  test("a registry that is not there is said to be so", async () => {
    const { outcome } = await ask(`${given.real.hostAddress}:1/web:1`);
    expect(outcome).toMatchObject({ reason: "ErrImagePull", message: expect.stringMatching(/connection refused/) });
  });

  test("the pause image is loaded, holds on, and ends at once when it is asked to", async () => {
    const { architecture } = await given.engine.info();
    const pause = pauseImage(architecture);
    await given.engine.loadImage(pause.archive);
    expect(await given.engine.inspectImage(pause.name)).toMatchObject({ entrypoint: ["/pause"] });
    const id = await given.run("", { Image: pause.name, Cmd: [] });
    expect(await given.engine.inspectContainer(id)).toMatchObject({ state: { status: "running" } });
    // Killed after the grace period it would have exit code 137.
    await given.engine.stopContainer(id, 60);
    expect(await given.engine.inspectContainer(id)).toMatchObject({ state: { status: "exited", exitCode: 0 } });
  });
});
