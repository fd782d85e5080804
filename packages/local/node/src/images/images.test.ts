import type { Secret } from "@berg/kube";
import { FakeClock } from "@berg/kube/testing";
import { type Engine, EngineError, type Image, type PullOptions } from "@berg/local-engine";
import { beforeEach, expect, test } from "vitest";
import { type ImageEvent, type ImageRequest, Images } from "./images.ts";

// A stand-in for an engine: what it has, and what its registry says. The real ones are in images.containers.test.ts.
const nginx: Image = {
  ...{ id: "sha256:1", digests: [], sizeBytes: 1234, user: "", entrypoint: [], command: [], env: [], workingDir: "" },
};
let has: Set<string>;
let pulls: { name: string; options: PullOptions }[];
let registry: (name: string, options: PullOptions, signal?: AbortSignal) => Promise<void>;
let events: ImageEvent[];
let clock: FakeClock;
let images: Images;
const engine = {
  inspectImage: async (name: string) => (has.has(name) ? nginx : undefined),
  async pullImage(name: string, options: PullOptions, signal?: AbortSignal) {
    pulls.push({ name, options });
    await registry(name, options, signal);
    has.add(name);
  },
} as unknown as Engine;

beforeEach(() => {
  has = new Set();
  pulls = [];
  events = [];
  registry = async () => {};
  clock = new FakeClock();
  images = new Images(engine, clock);
});

const ask = (image: string, more: Partial<ImageRequest> = {}, signal?: AbortSignal) =>
  images.ensure({ podUid: "u1", image, pullSecrets: [], onEvent: (event) => events.push(event), ...more }, signal);
const told = () => events.map(({ type, reason, message }) => `${type} ${reason} ${message}`);
const failing = (text: string) => {
  registry = async (name) => {
    throw new EngineError(`cannot pull image ${name}: ${text}`, 500);
  };
};

test("an image that is there is taken, and not pulled", async () => {
  has.add("docker.io/library/nginx:1");
  expect(await ask("nginx:1")).toEqual({ kind: "present", image: nginx });
  expect(pulls).toEqual([]);
  expect(told()).toEqual([
    'Normal Pulled Container image "nginx:1" already present on machine and can be accessed by the pod',
  ]);
});

test("an image that only the short name finds is taken too", async () => {
  has.add("web:1");
  expect(await ask("web:1")).toMatchObject({ kind: "present" });
});

test.each([
  ["nginx", undefined, true],
  ["nginx:latest", undefined, true],
  ["nginx:1", undefined, false],
  [`nginx@sha256:${"0".repeat(64)}`, undefined, false],
  ["nginx", "IfNotPresent", false],
  ["nginx:1", "Always", true],
  ["nginx", "Never", false],
] as const)("%s that is there, with policy %s: pulled %s", async (image, policy, want) => {
  has.add("docker.io/library/nginx:latest").add("docker.io/library/nginx:1");
  has.add(`docker.io/library/nginx@sha256:${"0".repeat(64)}`);
  expect(await ask(image, { policy })).toMatchObject({ kind: "present" });
  expect(pulls.length > 0).toBe(want);
});

test("a pull is told from its start to its end, with how far it is", async () => {
  registry = async (_, { onProgress }) => {
    await clock.advance(9_000);
    onProgress?.("a1: Downloading 10%");
    await clock.advance(2_000);
    onProgress?.("a1: Downloading 20%");
    await clock.advance(1_500.7);
    onProgress?.("a1: Downloading 30%");
  };
  expect(await ask("nginx:1")).toEqual({ kind: "present", image: nginx });
  expect(pulls.map(({ name }) => name)).toEqual(["docker.io/library/nginx:1"]);
  expect(told()).toEqual([
    'Normal Pulling Pulling image "nginx:1"',
    'Normal Pulling Pulling image "nginx:1": a1: Downloading 20%',
    'Normal Pulled Successfully pulled image "nginx:1" in 12.5s (12.5s including waiting). Image size: 1234 bytes.',
  ]);
});

test("a pull that fails is left alone for 10 s, then for twice as long, up to 5 minutes", async () => {
  failing("manifest unknown");
  const refused = { kind: "waiting", reason: "ErrImagePull", message: "manifest unknown" };
  expect(await ask("nginx:1")).toMatchObject(refused);
  expect(told()).toEqual([
    'Normal Pulling Pulling image "nginx:1"',
    'Warning Failed Failed to pull image "nginx:1": manifest unknown',
    "Warning Failed Error: ErrImagePull",
  ]);
  events = [];
  await clock.advance(9_000);
  expect(await ask("nginx:1")).toEqual({
    kind: "waiting",
    reason: "ImagePullBackOff",
    message: 'Back-off pulling image "nginx:1": ErrImagePull: manifest unknown',
    retryMs: 1_000,
  });
  expect(told()).toEqual(['Normal BackOff Back-off pulling image "nginx:1"', "Warning Failed Error: ImagePullBackOff"]);
  for (const seconds of [10, 20, 40, 80, 160, 300, 300]) {
    await clock.advance(seconds * 1000 - (seconds === 10 ? 9_000 : 0));
    expect(await ask("nginx:1")).toMatchObject(refused);
  }
  expect(pulls).toHaveLength(8);
  expect(await ask("nginx:1", { podUid: "another" })).toMatchObject(refused);
  await clock.advance(601_000);
  registry = async () => {};
  expect(await ask("nginx:1")).toMatchObject({ kind: "present" });
});

test("what may never be pulled and is not there waits", async () => {
  const message = 'Container image "nginx:1" is not present with pull policy of Never';
  expect(await ask("nginx:1", { policy: "Never" })).toMatchObject({ reason: "ErrImageNeverPull", message });
  expect(told()).toEqual([`Warning ErrImageNeverPull ${message}`, "Warning Failed Error: ErrImageNeverPull"]);
  expect(pulls).toEqual([]);
});

test("what is no image name waits for a better one", async () => {
  const message = 'Failed to apply default image tag "a b": couldn\'t parse image name "a b": invalid reference format';
  expect(await ask("a b")).toMatchObject({ reason: "InvalidImageName", message });
  expect(told()).toEqual([`Warning InspectFailed ${message}`, "Warning Failed Error: InvalidImageName"]);
});

test("an engine that cannot say what it has is not asked for more", async () => {
  const broken = { inspectImage: () => Promise.reject(new EngineError("cannot inspect image x: gone", 0)) };
  images = new Images(broken as unknown as Engine, clock);
  expect(await ask("nginx:1")).toMatchObject({
    reason: "ImageInspectError",
    message: 'Failed to inspect image "": gone',
  });
});

const pullSecret = (auths: unknown): Secret => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "pull" },
  type: "kubernetes.io/dockerconfigjson",
  data: { ".dockerconfigjson": Buffer.from(JSON.stringify({ auths })).toString("base64") },
});

test("each sign-in is tried until one is let in, and none is ever told", async () => {
  const secrets = [
    pullSecret({ "r.test": { username: "eve", password: "hunter2" } }),
    pullSecret({ "r.test": { username: "bob", password: "hunter3" } }),
  ];
  registry = async (name, { auth }) => {
    if (auth?.username !== "bob") throw new EngineError(`cannot pull image ${name}: ${auth?.password} is wrong`, 500);
  };
  expect(await ask("r.test/web:1", { pullSecrets: secrets })).toMatchObject({ kind: "present" });
  expect(pulls.map(({ options }) => options.auth?.username)).toEqual(["eve", "bob"]);
  expect(await ask("r.test/web:2", { pullSecrets: secrets.slice(0, 1) })).toMatchObject({ message: "*** is wrong" });
  expect(told().join()).not.toContain("hunter");
});

test("pods that want the same at once cost one pull, and one that gives up leaves it to the others", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  registry = () => promise;
  const stop = new AbortController();
  const first = ask("nginx:1", {}, stop.signal);
  const second = ask("nginx:1", { podUid: "u2" });
  await clock.advance(0);
  stop.abort(new Error("pod deleted"));
  await expect(first).rejects.toThrow("pod deleted");
  resolve();
  expect(await second).toMatchObject({ kind: "present" });
  expect(pulls).toHaveLength(1);
});

test("what is under way ends with the node", async () => {
  registry = (_, __, signal) =>
    new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
  const asked = ask("nginx:1");
  await clock.advance(0);
  images[Symbol.dispose]();
  await expect(asked).rejects.toThrow(/abort/);
});
