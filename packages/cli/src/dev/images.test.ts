import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BuildOptions, type Engine, EngineError } from "@berg/local-engine";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ProjectImages } from "./images.ts";
import type { Project } from "./project.ts";
import type { ImageSource } from "./sources.ts";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "berg-images-"));
});
afterEach(() => rm(directory, { recursive: true }));

/** Stands for an engine whose build fails where a file says so; real builds are in the containers' tests. */
function engine() {
  const ids = new Map<string, string>();
  const built: string[] = [];
  const stub: Pick<Engine, "inspectImage" | "buildImage"> = {
    async inspectImage(name) {
      const id = ids.get(name);
      return id === undefined
        ? undefined
        : { id, digests: [], sizeBytes: 0, user: "", entrypoint: [], command: [], env: [], workingDir: "" };
    },
    async buildImage(name, { context, onProgress }: BuildOptions) {
      onProgress?.("STEP \u001b[2J1");
      if (Buffer.concat([context].flat()).includes("broken"))
        throw new EngineError(`cannot build image ${name}: broken`, 200);
      built.push(name);
      ids.set(name, `sha256:${built.length}`);
    },
  };
  return { images: new ProjectImages(stub as Engine), built, ids };
}

const source = (image: string, folder?: string): ImageSource =>
  folder === undefined
    ? { image, containers: ["web"], kind: "elsewhere" }
    : { image, containers: ["web"], kind: "build", directory: join(directory, folder), dockerfile: "Dockerfile" };
const write = async (path: string, text: string) => writeFile(join(directory, path), text);

function preparing(images: ProjectImages, sources: ImageSource[]) {
  const said: string[] = [];
  const options = { say: (line: string) => said.push(line), dataDir: "/none", signal: new AbortController().signal };
  const prepare = () => images.prepare({ sources, directory } as unknown as Project, options);
  return { prepare, said };
}

test("an image is built once for the same files, and named as the node will ask for it", async () => {
  const { images, built } = engine();
  await write("Dockerfile", "1");
  const { prepare, said } = preparing(images, [source("page", ".")]);
  expect(await prepare()).toEqual([{ image: "page", files: [] }]);
  images.used();
  expect(await prepare()).toEqual([]);
  await write("app.py", "1");
  expect(await prepare()).toEqual([{ image: "page", files: ["app.py"] }]);
  expect(built).toEqual(["docker.io/library/page:latest", "docker.io/library/page:latest"]);
  expect(said.slice(0, 2)).toEqual([`Building page from ${directory}`, "  STEP  [2J1"]);
});

test("what was built before a mistake was met is not forgotten", async () => {
  const { images } = engine();
  const [one, other] = [await mkdtemp(join(directory, "one-")), await mkdtemp(join(directory, "other-"))];
  const relative = (path: string) => path.slice(directory.length + 1);
  const { prepare } = preparing(images, [source("one:1", relative(one)), source("other:1", relative(other))]);
  await writeFile(join(one, "Dockerfile"), "1");
  await writeFile(join(other, "Dockerfile"), "1");
  await prepare();
  images.used();
  await writeFile(join(one, "Dockerfile"), "2");
  await writeFile(join(other, "Dockerfile"), "broken");
  await expect(prepare()).rejects.toThrow("cannot build image docker.io/library/other:1: broken");
  await writeFile(join(other, "Dockerfile"), "1");
  expect(await prepare()).toEqual([{ image: "one:1", files: ["Dockerfile"] }]);
});

test("an image that is neither here nor to be built is said to be pulled, once", async () => {
  const { images, ids } = engine();
  ids.set("berg.test/there:1", "sha256:0");
  const { prepare, said } = preparing(images, [source("berg.test/there:1"), source("berg.test/page:1"), source("A B")]);
  await prepare();
  await prepare();
  expect(said).toEqual([expect.stringMatching(/^The image berg\.test\/page:1 is not on this machine.* it is pulled/)]);
  expect(said[0]).toContain(`put a Dockerfile beside the YAML, or into ${directory}/web`);
});

test("an image that somebody else made anew is a change", async () => {
  const { images, ids } = engine();
  ids.set("berg.test/page:1", "sha256:0");
  const { prepare } = preparing(images, [source("berg.test/page:1")]);
  await prepare();
  images.used();
  ids.set("berg.test/page:1", "sha256:1");
  expect(await prepare()).toEqual([{ image: "berg.test/page:1", files: [] }]);
});
