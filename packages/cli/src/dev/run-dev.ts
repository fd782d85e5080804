/**
 * `berg dev`: lint, images, one instance; and again after each change. What is wrong with a change is told, and the
 * instance from before it goes on.
 */
import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { isAlreadyExists, jsonEqual, type Stored } from "@berg/apimachinery";
import { type Client, createClient, Namespaces } from "@berg/kube";
import { type Challenge, Challenges } from "@berg/resources";
import { explain } from "../instance/failure.ts";
import { paintFor } from "../instance/paint.ts";
import { Session } from "../instance/session.ts";
import type { ExitCode, Surroundings } from "../instance/surroundings.ts";
import { challengeNamespace } from "../up/local-settings.ts";
import { removeAbandoned } from "./abandoned.ts";
import { DevInstance, type DevInstanceOptions } from "./dev-instance.ts";
import { type ImageChange, ProjectImages } from "./images.ts";
import { findPlace, type Place, type PlaceOptions } from "./place.ts";
import { prefixes } from "./prefixes.ts";
import { type Project, readProject } from "./project.ts";
import { renderChange } from "./render.ts";
import { withEndpoints } from "./tunnels/endpoints.ts";
import type { WantedTunnel } from "./tunnels/wanted.ts";
import { Changes, watchedDirectories } from "./watch.ts";

/** What is left for the instance to end; stopping everything else takes the rest of ten seconds. */
const endMs = 6_000;

export interface DevOptions extends PlaceOptions {
  tunnel: readonly WantedTunnel[];
}

export async function runDev(file: string, options: DevOptions, around: Surroundings): Promise<ExitCode> {
  try {
    const project = await readProject(file, options.allowCapabilities);
    // What is wrong with these no change of a file puts right, as long as the Challenge is the same.
    withEndpoints(project.challenge, options.tunnel);
    await using place = await findPlace(options, around);
    await using author = new Author(place, options, around);
    await author.work(project);
    return 0;
  } catch (error) {
    if (around.signal.aborted) return 0;
    const { text, exitCode } = explain(error, { source: options.dataDir, isLocal: true });
    around.stderr.write(`error: ${text}\n`);
    return exitCode;
  }
}

/** One author's session: the project as it is, and the instance of it. */
class Author implements AsyncDisposable {
  readonly #place: Place;
  readonly #options: DevOptions;
  readonly #around: Surroundings;
  readonly #client: Client;
  readonly #session: Session;
  readonly #images: ProjectImages | undefined;
  readonly #changes: Changes;
  readonly #tunnels: readonly WantedTunnel[];
  readonly #each: DevInstanceOptions;
  readonly #dataDir: string;
  /** What the instance was made from. */
  #running: { challenge: Stored<Challenge>; instance: DevInstance } | undefined;

  #warned = "";

  constructor(place: Place, options: DevOptions, around: Surroundings) {
    const { clock, env, stdout } = around;
    const { connection, engine } = place;
    const { tunnel: tunnels } = options;
    const dataDir = resolve(options.dataDir);
    this.#place = place;
    this.#around = around;
    this.#options = options;
    this.#dataDir = dataDir;
    this.#tunnels = tunnels;
    this.#client = createClient({ connection, component: "dev", clock });
    // What tells us to stop must not tell the session: it takes the instance down first.
    const lasting = { ...around, signal: new AbortController().signal };
    const cluster = { connection, source: dataDir, isLocal: true };
    this.#session = new Session(this.#client, cluster, { namespace: challengeNamespace }, lasting);
    this.#images = engine && new ProjectImages(engine);
    this.#changes = new Changes({ clock, dataDir, onTrouble: (text) => this.#say(text) });
    const paint = paintFor(stdout, env);
    const prefix = prefixes(paint);
    const say = (text: string) => this.#say(text);
    this.#each = {
      owner: randomUUID(),
      telling: {
        paint,
        write: (text) => stdout.write(text),
        log: ({ container, text }) => stdout.write(`${prefix(container)} ${text}\n`),
      },
      tunnels: engine && tunnels.length > 0 ? { client: this.#client, clock, engine, tunnels, say } : undefined,
    };
  }

  /** Until it is told to stop. Throws what is wrong with the project at first; later that is only told. */
  async work(first: Project): Promise<void> {
    const { signal } = this.#around;
    const stopped = new Promise<void>((done) => signal.addEventListener("abort", () => done(), { once: true }));
    await removeAbandoned(this.#client, signal);
    if (!this.#images)
      this.#say("Pods are simulated here: no image is built, no container runs, and there are no logs and no tunnels.");
    await this.#bring(first);
    while (!signal.aborted) {
      await Promise.race([stopped, this.#place.failed, this.#changes.next()]);
      if (!signal.aborted) await this.#tryAgain(first.file);
    }
  }

  async #tryAgain(file: string): Promise<void> {
    try {
      await this.#bring(await readProject(file, this.#options.allowCapabilities));
    } catch (error) {
      if (this.#around.signal.aborted) return;
      const { text } = explain(error, { source: this.#dataDir, isLocal: true });
      const rest = this.#running ? "The instance goes on as it was" : "No instance runs";
      this.#say(`${text}\n${rest}, until this is put right.`);
    }
  }

  /** Makes what runs as the project is. */
  async #bring(project: Project): Promise<void> {
    const { signal } = this.#around;
    this.#changes.watch(watchedDirectories(project));
    const warnings = project.warnings.join("\n");
    if (warnings && warnings !== this.#warned) this.#say(warnings);
    this.#warned = warnings;
    const images = await this.#prepare(project);
    const before = this.#running;
    const challenge = await this.#apply(project);
    const isChanged = !before || !jsonEqual(before.challenge.spec, challenge.spec);
    if (!isChanged && images.length === 0) return;
    if (before) {
      this.#say(renderChange(project.file, isChanged, images));
      this.#running = undefined;
      await before.instance.end(signal);
      signal.throwIfAborted();
    }
    const instance = await DevInstance.start(this.#session, challenge, this.#each);
    this.#running = { challenge, instance };
    this.#images?.used();
  }

  async #prepare(project: Project): Promise<ImageChange[]> {
    const { signal } = this.#around;
    const say = (line: string) => this.#say(line);
    return (await this.#images?.prepare(project, { say, dataDir: this.#dataDir, signal })) ?? [];
  }

  async #apply(project: Project): Promise<Stored<Challenge>> {
    const { signal } = this.#around;
    const challenge = withEndpoints(project.challenge, this.#tunnels);
    const { namespace = challengeNamespace } = challenge.metadata;
    await this.#client.create(Namespaces, { metadata: { name: namespace } }, { signal }).catch((error) => {
      if (!isAlreadyExists(error)) throw error;
    });
    const named = { ...challenge, metadata: { ...challenge.metadata, namespace } };
    return this.#client.apply(Challenges, named, { fieldManager: "berg-dev", force: true, signal });
  }

  #say(text: string): void {
    this.#around.stderr.write(`${text}\n`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#changes[Symbol.dispose]();
    const late = new AbortController();
    const timer = this.#around.clock.setTimer(endMs, () => late.abort(new Error("there was no more time")));
    if (this.#running) this.#say("Ending the instance.");
    // What is left of it ends with the parts, or with the next start.
    await this.#running?.instance.end(late.signal).catch(() => {});
    timer.cancel();
    await this.#client.close();
  }
}
