/**
 * The image that the client proxy runs from: one executable file on the base image that the author chose. What is there
 * is used; else it is built, by one at a time, from a Dockerfile that lives as long as the build.
 */
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, errorText, type Logger } from "@berg/kube";
import { type Engine, EngineError, type Image, type Labels, type TarEntry, tarParts } from "@berg/local-engine";
import { imageLabels } from "../vocabulary.ts";
import { failureText, ImageBuildFailed, remedy } from "./build-failure.ts";
import { checkFlag } from "./bundle.ts";
import { type Executable, makeExecutable, readProgram } from "./executable.ts";
import { imageName } from "./image-name.ts";
import { takeLock } from "./lock.ts";

export interface ClientImageOptions {
  engine: Engine;
  /** As `docker pull` takes it. */
  baseImage: string;
  /** For the lock, and for what a build needs while it lasts: `<data directory>/tunnel`. */
  directory: string;
  /** Which Berg this is: images that it has built of another version are removed. */
  node: string;
  /** Of Berg, for people who read the image's tag. */
  version: string;
  clock: Clock;
  log: Logger;
  signal: AbortSignal;
  /** Another program than the client proxy, for tests. */
  entry?: string;
}

export interface ClientImage {
  image: string;
  /** Whether it was built just now. */
  built: boolean;
}

/**
 * Throws an ImageBuildFailed, with what to do in its message, where there can be no such image; any other error is one
 * after which it may be tried again.
 */
export async function ensureClientImage(options: ClientImageOptions): Promise<ClientImage> {
  const { engine, baseImage, directory, version, clock, log, signal } = options;
  refuseOdd(baseImage);
  const base = await findBase(options);
  const program = await readProgram(options.entry ?? clientProxy, signal);
  const image = imageName(version, program.hash, base.id);
  if (await engine.inspectImage(image, signal)) return { image, built: false };

  const onWait = () => log.info({ image, baseImage }, "waits for another who builds an image of the client proxy");
  await using _lock = await takeLock(join(directory, "image.lock"), { clock, signal, onWait });
  if (await engine.inspectImage(image, signal)) return { image, built: false };
  const work = join(directory, "image");
  // Only one that was killed can have left something: we have the lock.
  await rm(work, { recursive: true, force: true });
  const began = clock.monotonic();
  await using executable = await makeExecutable(program, work, signal);
  const labels = { [imageLabels.builtBy]: options.node, [imageLabels.madeOf]: imageName(version, program.hash, "") };
  await build(image, executable, labels, options);
  const seconds = Math.round((clock.monotonic() - began) / 100) / 10;
  log.info({ image, baseImage, seconds }, "built the client proxy's image");
  await removeOlder(labels, options);
  return { image, built: true };
}

const clientProxy = join(import.meta.dirname, "../client-proxy/main.ts");

/** It becomes a line of a Dockerfile, which must have no other meaning there. */
function refuseOdd(baseImage: string): void {
  if (/^[A-Za-z0-9][\w.:/@-]{0,511}$/.test(baseImage)) return;
  const said = JSON.stringify(baseImage.slice(0, 100));
  throw new ImageBuildFailed(`${said} is not the name of an image; ${remedy} one such as debian:12`, undefined);
}

/** One that is there is not pulled again: it works without a network, and does not change under anybody's feet. */
async function findBase({ engine, baseImage, log, signal }: ClientImageOptions): Promise<Image> {
  const there = await engine.inspectImage(baseImage, signal);
  if (there) return there;
  log.info({ baseImage }, "pulls the base image of the client proxy");
  try {
    await engine.pullImage(baseImage, {}, signal);
  } catch (error) {
    throwUnlessRefused(error, signal);
    throw new ImageBuildFailed(
      `the base image ${baseImage} is not on this machine, and cannot be pulled: ${errorText(error)}; delete this object, and create it again with another baseImage, or when this one has been pulled or loaded`,
      error,
    );
  }
  const pulled = await engine.inspectImage(baseImage, signal);
  if (!pulled) throw new ImageBuildFailed(`the base image ${baseImage} was pulled, and is not there`, undefined);
  return pulled;
}

const inside = "/berg-tunnel-client-proxy";

async function build(
  image: string,
  executable: Executable,
  labels: Labels,
  options: ClientImageOptions,
): Promise<void> {
  const { engine, baseImage, log, signal } = options;
  log.info({ image, baseImage }, "builds the client proxy's image");
  const dockerfile = [
    `FROM ${baseImage}`,
    `COPY client-proxy ${inside}`,
    // Without a shell, which the base image may not have.
    `RUN ${JSON.stringify([inside, checkFlag])}`,
    ...Object.entries(labels).map(([key, value]) => `LABEL ${key}=${JSON.stringify(value)}`),
    `ENTRYPOINT ${JSON.stringify([inside])}`,
    "CMD []",
    "WORKDIR /",
    "STOPSIGNAL SIGTERM",
    "HEALTHCHECK NONE",
    "",
  ].join("\n");
  const files: TarEntry[] = [
    { kind: "file", path: "Dockerfile", mode: 0o644, bytes: Buffer.from(dockerfile) },
    { kind: "file", path: "client-proxy", mode: 0o755, bytes: await readFile(executable.path) },
  ];
  const said: string[] = [];
  const onProgress = (line: string) => {
    said.push(line);
    if (said.length > mostLines) said.shift();
  };
  try {
    await engine.buildImage(image, { context: tarParts(files), dockerfile: "Dockerfile", onProgress }, signal);
  } catch (error) {
    throwUnlessRefused(error, signal);
    const story = { baseImage, architecture: process.arch, said, end: errorText(error) };
    throw new ImageBuildFailed(failureText(story), error);
  }
}

/** Those of an older Berg in our place are of no use to anybody. One that still runs is left until the next build. */
async function removeOlder(labels: Labels, { engine, node, log, signal }: ClientImageOptions): Promise<void> {
  try {
    for (const { names, labels: marks } of await engine.listImages({ [imageLabels.builtBy]: node }, signal)) {
      if (marks[imageLabels.madeOf] === labels[imageLabels.madeOf]) continue;
      for (const name of names) {
        await engine.removeImage(name, signal);
        log.info({ image: name }, "removed an older image of the client proxy");
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ error: errorText(error) }, "older images of the client proxy could not all be removed");
  }
}

const mostLines = 100;

/** That we were stopped, or that the engine went, says nothing about the image: it may be tried again. */
function throwUnlessRefused(error: unknown, signal: AbortSignal): void {
  signal.throwIfAborted();
  if (error instanceof EngineError && error.status === 0) throw error;
}
