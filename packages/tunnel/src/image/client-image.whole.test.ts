/** The engine here is a stand-in, for what a real one cannot be asked for; the rest is in *.containers.test.ts. */
import { access, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { silentLogger, systemClock } from "@berg/kube";
import { type Engine, EngineError, type Image } from "@berg/local-engine";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ImageBuildFailed } from "./build-failure.ts";
import { ensureClientImage } from "./client-image.ts";

// Other programs are started, and 100 MB copied, on a machine that may have much else to do.
vi.setConfig({ testTimeout: 180_000 });

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "berg-client-image-"));
});
afterEach(() => rm(directory, { recursive: true }));

const base: Partial<Image> = { id: "sha256:0123456789abcdef" };

function ensure(engine: Partial<Engine>, baseImage = "debian:12") {
  const all: Partial<Engine> = { listImages: async () => [], ...engine };
  return ensureClientImage({
    ...{ engine: all as Engine, baseImage, directory, node: "here", version: "0.1.0" },
    ...{ entry: fileURLToPath(new URL("./testing/stand-in.ts", import.meta.url)) },
    ...{ clock: systemClock, log: silentLogger, signal: new AbortController().signal },
  });
}

const known = async (name: string) => (name === "debian:12" ? (base as Image) : undefined);

test.each(["debian:12\nRUN evil", "", "a b", "--platform=x", "$HOME", "a".repeat(600)])(
  "%j is no image",
  async (name) => {
    const failure = ensure({}, name);
    await expect(failure).rejects.toBeInstanceOf(ImageBuildFailed);
    await expect(failure).rejects.toThrow(
      /^".*" is not the name of an image; .* another baseImage: one such as debian:12$/,
    );
  },
);

test.each(["debian", "debian:12", "localhost:5000/a/b_c.d-e:v1", `x@sha256:${"0".repeat(64)}`])(
  "%s is one",
  async (name) => {
    const asked: string[] = [];
    await ensure({ inspectImage: async (one) => void asked.push(one), pullImage: async () => {} }, name).catch(
      () => {},
    );
    expect(asked).toContain(name);
  },
);

const goes = () => Promise.reject(new EngineError("cannot do it: no container engine answers", 0));
const goings: { when: string; engine: Partial<Engine> }[] = [
  { when: "before", engine: { inspectImage: goes } },
  { when: "while it pulls", engine: { inspectImage: async () => undefined, pullImage: goes } },
  { when: "while it builds", engine: { inspectImage: known, buildImage: goes } },
];

test.each(goings)("an engine that goes $when is no failed build: it may be tried again", async ({ engine }) => {
  await expect(ensure(engine)).rejects.toBeInstanceOf(EngineError);
});

test("images of another version that this Berg has built are removed after a build, and no others", async () => {
  const asked: unknown[] = [];
  const mark = "tunnel.berg.norelect.ch/image-made-of";
  let built = "";
  const engine: Partial<Engine> = {
    inspectImage: known,
    async buildImage(name) {
      built = name;
    },
    async listImages(labels) {
      asked.push(labels);
      const madeOf = built.replace(/[^-]*$/, "");
      return [
        { names: ["berg-tunnel-client:old"], labels: { [mark]: "berg-tunnel-client:0.0.9-0123-" } },
        { names: ["berg-tunnel-client:other-base"], labels: { [mark]: madeOf } },
      ];
    },
    async removeImage(name) {
      asked.push(name);
      throw new EngineError("a container is of it", 409);
    },
  };
  // One that is in use is no failure of the build.
  expect(await ensure(engine)).toEqual({ image: built, built: true });
  expect(asked).toEqual([{ "tunnel.berg.norelect.ch/image-built-by": "here" }, "berg-tunnel-client:old"]);
});

test("one that is built while we wait for our turn is used", async () => {
  const images = new Set<string>();
  let builds = 0;
  const engine: Partial<Engine> = {
    inspectImage: async (name) => (name === "debian:12" || images.has(name) ? (base as Image) : undefined),
    async buildImage(name) {
      builds++;
      images.add(name);
    },
  };
  const made = await Promise.all([ensure(engine), ensure(engine), ensure(engine)]);
  expect(builds).toBe(1);
  expect(made.map(({ built }) => built).sort()).toEqual([false, false, true]);
});

test("what one that was killed has left is gone after the next build, and nothing stays of that", async () => {
  const left = join(directory, "image/executable-killed");
  await mkdir(left, { recursive: true });
  await writeFile(join(left, "client-proxy"), "half");
  let during: string[] = [];
  const buildImage = async () => {
    during = await readdir(join(directory, "image"));
  };
  await ensure({ inspectImage: known, buildImage });
  expect(during).toEqual([expect.stringMatching(/^executable-/)]);
  await expect(access(left)).rejects.toThrow("ENOENT");
  expect(await readdir(join(directory, "image"))).toEqual([]);
});

test("a build that fails says how it ended, and leaves nothing", async () => {
  const buildImage: Engine["buildImage"] = async (_name, { onProgress }) => {
    for (let line = 1; line <= 500; line++) onProgress?.(`step ${line}`);
    throw new EngineError("cannot build image x: no space left on device", 200);
  };
  const failure = await ensure({ inspectImage: known, buildImage }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ImageBuildFailed);
  const [first, ...lines] = (failure as Error).message.split("\n");
  expect(first).toBe("the image could not be built on debian:12");
  expect(lines.slice(-2)).toEqual(["step 500", "cannot build image x: no space left on device"]);
  expect(await readdir(join(directory, "image"))).toEqual([]);
});
