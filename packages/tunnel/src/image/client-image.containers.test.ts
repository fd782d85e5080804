import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { silentLogger, systemClock } from "@berg/kube";
import { type Engine, tar } from "@berg/local-engine";
import { label, onEachEngine, startRegistry } from "@berg/test/engine";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { ImageBuildFailed } from "./build-failure.ts";
import { type ClientImageOptions, ensureClientImage } from "./client-image.ts";
import { baseImage } from "./testing/base-images.ts";

const good = "berg.test/base:1";
const patience = { timeout: 60_000, interval: 100 };
const entry = fileURLToPath(new URL("./testing/stand-in.ts", import.meta.url));
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "berg-client-image-"));
});
afterAll(() => rm(directory, { recursive: true }));

let count = 0;

onEachEngine((given) => {
  const ensure = (more: Partial<ClientImageOptions> = {}) =>
    ensureClientImage({
      ...{ engine: given.engine, baseImage: good, directory, node: "here", version: "0.1.0", entry },
      ...{ clock: systemClock, log: silentLogger, signal: new AbortController().signal },
      ...more,
    });
  const failure = async (more: Partial<ClientImageOptions>) => {
    const error = await ensure(more).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ImageBuildFailed);
    return (error as ImageBuildFailed).message;
  };
  /** What a container of it says first; it is gone after the test. */
  const firstLine = async (image: string, more: { Env?: string[]; Cmd?: string[] } = {}) => {
    const { id } = await given.engine.createContainer(`client-proxy-${++count}`, {
      ...{ Image: image, Labels: { [label]: "yes" }, HostConfig: { NetworkMode: "none" } },
      ...more,
    });
    await given.engine.startContainer(id);
    const said = { stdout: "", stderr: "" };
    await vi.waitFor(async () => {
      Object.assign(said, { stdout: "", stderr: "" });
      for await (const { stream, bytes } of given.engine.containerLogs(id, { follow: false, timestamps: false })) {
        said[stream] += Buffer.from(bytes);
      }
      expect(said.stdout + said.stderr).toContain("\n");
    }, patience);
    return { id, ...said };
  };
  const derive = (name: string, lines: string) => {
    const bytes = Buffer.from(`FROM ${good}\n${lines}\n`);
    const context = tar([{ kind: "file", path: "Dockerfile", mode: 0o644, bytes }]);
    return given.engine.buildImage(name, { context, dockerfile: "Dockerfile" });
  };
  beforeAll(async () => given.engine.loadImage(await baseImage(good)));

  test("an image is built, runs, ends when it is asked to, and is used again", async () => {
    const first = await ensure();
    expect(first).toEqual({
      image: expect.stringMatching(/^berg-tunnel-client:0\.1\.0-[0-9a-f]{12}-[0-9a-f]{12}$/),
      built: true,
    });
    const { id, stdout } = await firstLine(first.image);
    expect(JSON.parse(stdout)).toEqual({ arguments: [], text: "packed" });
    await given.engine.stopContainer(id, 60);
    expect((await given.engine.inspectContainer(id))?.state).toMatchObject({ status: "exited", exitCode: 0 });
    expect(await ensure()).toEqual({ image: first.image, built: false });
    expect(await readdir(directory, { recursive: true })).toEqual(["image", "image.lock"]);
  });

  test("the client proxy itself starts in it, and says what it lacks", async () => {
    const { image } = await ensure({ entry: join(import.meta.dirname, "../client-proxy/main.ts") });
    const { stderr } = await firstLine(image);
    expect(stderr).toContain("BERG_TUNNEL_PEER");
  });

  test("what the base image would run, and as whom, does not matter", async () => {
    await derive("berg.test/odd:1", `USER 1234\nWORKDIR /etc\nENTRYPOINT ["/none"]\nCMD ["sleep", "1"]`);
    const { image } = await ensure({ baseImage: "berg.test/odd:1" });
    const { stdout } = await firstLine(image);
    expect(JSON.parse(stdout)).toEqual({ arguments: [], text: "packed" });
  });

  test("another base image under the same name is another image", async () => {
    const name = "berg.test/moving:1";
    await given.engine.loadImage(await baseImage(name));
    const before = await ensure({ baseImage: name });
    await derive(name, "LABEL moved=yes");
    const after = await ensure({ baseImage: name });
    expect(after.built).toBe(true);
    expect(after.image).not.toBe(before.image);
  });

  test("those who want it at the same time share one build", async () => {
    const made = await Promise.all([1, 2, 3].map(() => ensure({ version: "0.2.0" })));
    expect(made.filter(({ built }) => built)).toHaveLength(1);
    expect(new Set(made.map(({ image }) => image)).size).toBe(1);
  });

  test("those of an older version of ours go when a new one is built, and nobody else's", async () => {
    const old = await ensure({ version: "0.0.7" });
    const others = await ensure({ version: "0.0.8", node: "there" });
    const { image } = await ensure({ version: "0.0.9" });
    const isThere = async (name: string) => (await given.engine.inspectImage(name)) !== undefined;
    expect([await isThere(old.image), await isThere(others.image), await isThere(image)]).toEqual([false, true, true]);
  });

  test("a base image that lacks a library is told by the library's name", async () => {
    const name = "berg.test/no-cpp:1";
    await given.engine.loadImage(await baseImage(name, /libstdc\+\+/));
    const text = await failure({ baseImage: name });
    expect(text).toMatch(
      /^the base image berg\.test\/no-cpp:1 lacks libstdc\+\+\.so\.6, which the client proxy needs; delete this object, and create it again with another baseImage: one that has/,
    );
    expect(text).toContain("error while loading shared libraries: libstdc++.so.6");
  });

  test("a base image without glibc is told as such", async () => {
    const name = "berg.test/no-loader:1";
    await given.engine.loadImage(await baseImage(name, /./));
    expect(await failure({ baseImage: name })).toMatch(
      /^the base image berg\.test\/no-loader:1 has no loader of glibc, which the client proxy needs; delete this object, and create it again with another baseImage: one that has/,
    );
  });

  test("a base image that is nowhere is told with both facts", async () => {
    await using registry = await startRegistry(given.real.hostAddress);
    const text = await failure({ baseImage: `${registry.address}/team/nothing:1` });
    expect(text).toMatch(
      /is not on this machine, and cannot be pulled: cannot pull image .*; delete this object, and create it again with another baseImage, or when this one has been pulled or loaded$/,
    );
  });

  test("a base image that is there is not pulled", async () => {
    await using registry = await startRegistry(given.real.hostAddress);
    const name = `${registry.address}/team/base:1`;
    await given.engine.loadImage(await baseImage(name));
    expect(await ensure({ baseImage: name, version: "0.5.0" })).toMatchObject({ built: true });
    expect(registry.asked).toEqual([]);
  });

  test("a base image that is not there is pulled", async () => {
    await using registry = await startRegistry(given.real.hostAddress);
    const name = `${registry.address}/team/web:1`;
    // It has nothing but one file, so that the build fails: that it came so far is what counts.
    expect(await failure({ baseImage: name })).toContain(`the base image ${name} has no loader of glibc`);
    expect(registry.asked.join("\n")).toContain("/v2/team/web/manifests/1");
  });

  test("what the builder ends with is told", async () => {
    const engine: Engine = {
      ...given.engine,
      buildImage: (name, options, signal) =>
        given.engine.buildImage(name, { ...options, context: new Uint8Array(10_240) }, signal),
    };
    const text = await failure({ engine, version: "0.3.0" });
    expect(text).toMatch(/^the image could not be built on berg\.test\/base:1\ncannot build image .*Dockerfile/is);
  });

  test("a build that is stopped is no failed build, and can be done again", async () => {
    const stop = new AbortController();
    const engine: Engine = {
      ...given.engine,
      buildImage(name, options, signal) {
        stop.abort(new Error("stopped"));
        return given.engine.buildImage(name, options, signal);
      },
    };
    await expect(ensure({ engine, version: "0.4.0", signal: stop.signal })).rejects.toThrow("stopped");
    expect(await ensure({ version: "0.4.0" })).toMatchObject({ built: true });
  });
});
