/**
 * An engine in memory that runs nothing, for orders of events and faults that a real one cannot be asked for. What a
 * real one does is tested in *.containers.test.ts.
 */
import { setTimeout as wait } from "node:timers/promises";
import {
  type Container,
  type ContainerCreate,
  type Engine,
  EngineError,
  type EngineEvent,
  type ExecSession,
  type Image,
  type Labels,
} from "@berg/local-engine";

interface Fake {
  container: Container;
  body: ContainerCreate;
}

export class FakeEngine {
  readonly containers = new Map<string, Fake>();
  readonly images = new Map<string, Image>();
  /** What each wrote, by its name. */
  readonly sizes = new Map<string, number>();
  /** What was asked for, in words: `create web/c/0`, `stop web/c/0 30`. */
  readonly calls: string[] = [];
  /** Throws in place of an answer. */
  refuse: (call: string) => Error | undefined = () => undefined;
  /** What a command in a container says, and how it ends. */
  onExec: (command: readonly string[]) => { exitCode: number; output?: string; afterMs?: number } = () => ({
    exitCode: 0,
  });
  /** What becomes of a container that was started: undefined, it runs. */
  onStart: (name: string) => { exitCode: number } | undefined = () => undefined;
  #isGone = false;
  #count = 0;
  readonly #listeners = new Set<(event: EngineEvent | undefined) => void>();

  /** Goes, as when its service is stopped; containers stay. */
  go(): void {
    this.#isGone = true;
    for (const tell of this.#listeners) tell(undefined);
  }

  comeBack(): void {
    this.#isGone = false;
  }

  /** Ends by itself. */
  exit(name: string, exitCode: number, oomKilled = false): void {
    const fake = [...this.containers.values()].find(({ container }) => nameOf(container.labels) === name);
    if (!fake) throw new Error(`there is no container ${name} (${this.names.join(", ")})`);
    this.#end(fake, exitCode, oomKilled);
  }

  /** `web/pause/0`, `web/c/0`: what is there, and whether it runs. */
  get names(): string[] {
    return [...this.containers.values()]
      .map(({ container }) => `${nameOf(container.labels)} ${container.state.status}`)
      .sort();
  }

  body(name: string): ContainerCreate | undefined {
    return [...this.containers.values()].find(({ container }) => nameOf(container.labels) === name)?.body;
  }

  readonly engine: Engine = {
    info: async () => {
      this.#ask("info", false);
      return {
        ...{ name: "podman", version: "4.3.1", architecture: "x86_64", rootless: false, cpus: 2 },
        ...{ memoryBytes: 4 * 1024 ** 3, kernel: "6.1", operatingSystem: "Debian" },
      };
    },
    inspectImage: async (name) => {
      this.#ask("inspect", false);
      return this.images.get(name) ?? [...this.images.values()].find(({ id }) => id === name);
    },
    pullImage: async (name) => {
      this.#ask(`pull ${name}`);
      throw new EngineError(`cannot pull image ${name}: not found`, 404);
    },
    loadImage: async () => {
      this.#ask("load");
      for (const name of this.#unknownImages) this.addImage(name);
    },
    listImages: async () => [],
    removeImage: async () => {},
    buildImage: async (name) => {
      this.#ask(`build ${name}`);
      this.addImage(name);
    },
    createContainer: async (name, body) => {
      this.#ask(`create ${nameOf(body.Labels)}`);
      if (this.names.some((one) => one.startsWith(`${nameOf(body.Labels)} `)))
        throw new EngineError(`cannot create container: the name ${name} is in use`, 409);
      const id = `id${++this.#count}`;
      const isPause = nameOf(body.Labels).includes("/pause/");
      const state = {
        status: "created",
        exitCode: 0,
        oomKilled: false,
        error: "",
        startedAt: undefined,
        finishedAt: undefined,
      } as const;
      const addresses: Record<string, string> = isPause
        ? { [body.HostConfig.NetworkMode]: `10.202.0.${this.#count}` }
        : {};
      this.containers.set(id, {
        container: { id, name, imageId: body.Image, labels: body.Labels, state, addresses, pid: 0 },
        body,
      });
      this.#tell(id, "create", body.Labels);
      return { id };
    },
    startContainer: async (id) => {
      const fake = this.#find(id);
      const name = nameOf(fake.container.labels);
      this.#ask(`start ${name}`);
      fake.container.state = { ...fake.container.state, status: "running", startedAt: new Date().toISOString() };
      this.#tell(id, "start", fake.container.labels);
      const end = this.onStart(name);
      if (end) setImmediate(() => this.#end(fake, end.exitCode, false));
    },
    inspectContainer: async (id) => {
      this.#ask("inspect", false);
      const fake = this.containers.get(id);
      return fake && structuredClone(fake.container);
    },
    containerSize: async (id) => this.sizes.get(nameOf(this.#find(id).container.labels)),
    listContainers: async (labels) => {
      this.#ask("list", false);
      const all = [...this.containers.values()].map(({ container }) => container);
      const wanted = all.filter((one) => Object.entries(labels).every(([key, value]) => one.labels[key] === value));
      return wanted.map(({ id, name, labels: own, state }) => ({ id, name, labels: own, status: state.status }));
    },
    stopContainer: async (id, graceSeconds) => {
      const fake = this.#find(id);
      this.#ask(`stop ${nameOf(fake.container.labels)} ${graceSeconds}`);
      this.#end(fake, 143, false);
    },
    killContainer: async (id) => this.#end(this.#find(id), 137, false),
    removeContainer: async (id) => {
      const fake = this.containers.get(id);
      if (!fake) return;
      this.#ask(`remove ${nameOf(fake.container.labels)}`);
      const dependents = [...this.containers.values()].filter(
        ({ body }) => body.HostConfig.NetworkMode === `container:${id}`,
      );
      if (dependents.length > 0) throw new EngineError("cannot remove container: has dependent containers", 409);
      this.containers.delete(id);
      this.#tell(id, "destroy", fake.container.labels);
    },
    exec: async (id, { command }) => {
      this.#ask(`exec ${nameOf(this.#find(id).container.labels)} ${command.join(" ")}`);
      const { exitCode, output = "", afterMs = 0 } = this.onExec(command);
      return session(exitCode, output, afterMs);
    },
    async *containerLogs() {
      yield { stream: "stdout", bytes: Buffer.from("last line\n") };
    },
    events: (_labels, signal) => this.#events(signal),
    createNetwork: async () => ({ id: "n" }),
    inspectNetwork: async () => undefined,
    listNetworks: async () => [],
    removeNetwork: async () => {},
    listNetworkContainers: async () => [],
    connectNetwork: async () => {},
    disconnectNetwork: async () => {},
    async *networkEvents() {},
  };

  #unknownImages: string[] = [];

  addImage(name: string): void {
    const image = { id: `sha256:${name}`, digests: [], user: "", entrypoint: [], command: [], env: [], workingDir: "" };
    this.images.set(name, { ...image, sizeBytes: 1 } as Image);
  }

  /** The pause image is asked for by a name that only its maker knows; a load brings it. */
  expectLoad(name: string): void {
    this.#unknownImages.push(name);
  }

  #ask(call: string, isNoted = true): void {
    if (this.#isGone) throw new EngineError("cannot reach the container engine: connect ENOENT", 0);
    if (isNoted) this.calls.push(call);
    const refusal = this.refuse(call);
    if (refusal) throw refusal;
  }

  #find(id: string): Fake {
    const fake = this.containers.get(id);
    if (!fake) throw new EngineError(`there is no container ${id}`, 404);
    return fake;
  }

  #end(fake: Fake, exitCode: number, oomKilled: boolean): void {
    const { container } = fake;
    if (container.state.status !== "running") return;
    const finishedAt = new Date().toISOString();
    container.state = { ...container.state, status: "exited", exitCode, oomKilled, finishedAt };
    this.#tell(container.id, "die", container.labels);
  }

  #tell(containerId: string, action: string, labels: Labels): void {
    for (const tell of this.#listeners) tell({ containerId, action, labels });
  }

  async *#events(signal: AbortSignal): AsyncIterable<EngineEvent> {
    const queue: (EngineEvent | undefined)[] = [];
    let wake = () => {};
    const tell = (event: EngineEvent | undefined) => {
      queue.push(event);
      wake();
    };
    this.#ask("events", false);
    this.#listeners.add(tell);
    signal.addEventListener("abort", () => wake(), { once: true });
    try {
      while (!signal.aborted) {
        while (queue.length > 0) {
          const event = queue.shift();
          if (!event) throw new EngineError("the engine went", 0);
          yield event;
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (signal.aborted || queue.length > 0) resolve();
        });
      }
    } finally {
      this.#listeners.delete(tell);
    }
  }
}

/** `web/c/0` */
function nameOf(labels: Labels): string {
  const what = labels["berg.local/role"] === "pause" ? "pause" : labels["berg.local/container"];
  return [labels["berg.local/pod"], what, labels["berg.local/attempt"]].join("/");
}

function session(exitCode: number, output: string, afterMs: number): ExecSession {
  const closed = new AbortController();
  return {
    output: (async function* () {
      await wait(afterMs, undefined, { signal: closed.signal });
      if (output) yield { stream: "stdout" as const, bytes: Buffer.from(output) };
    })(),
    async write() {},
    endInput() {},
    async resize() {},
    exitCode: async () => exitCode,
    close: () => closed.abort(),
  };
}
