/** Sees to it that the image of every container is there, and says which have changed since the last time. */
import { type Engine, EngineError } from "@berg/local-engine";
import { fullName, parseReference } from "@berg/local-node";
import { Failure } from "../instance/failure.ts";
import { printable } from "../instance/printable.ts";
import { loadSamples } from "../samples/build.ts";
import { changedPaths, readContext } from "./context.ts";
import type { Project } from "./project.ts";
import type { ImageSource } from "./sources.ts";

export interface ImageChange {
  image: string;
  /** What of it was changed, where we know: paths in the directory that it is built from. */
  files: string[];
}

export interface PreparingOptions {
  say(line: string): void;
  /** Never part of an image: where `berg up` keeps its data. */
  dataDir: string;
  signal: AbortSignal;
}

type Build = Extract<ImageSource, { kind: "build" }>;

export class ProjectImages {
  readonly #engine: Engine;
  /** By image: what the files were that it was built from. */
  readonly #built = new Map<string, ReadonlyMap<string, string>>();
  /** By image: the engine's id, or that it has none. */
  readonly #known = new Map<string, string | undefined>();
  /** By image: what no instance runs with yet. */
  readonly #fresh = new Map<string, ImageChange>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /**
   * All that have changed since they were `used`. Throws a Failure where one cannot be built; those before it are done,
   * and not built again.
   */
  async prepare({ sources, directory }: Project, options: PreparingOptions): Promise<ImageChange[]> {
    const { say, signal } = options;
    if (sources.some(({ kind }) => kind === "sample")) await loadSamples(this.#engine, signal);
    for (const source of sources) {
      const reference = parseReference(source.image);
      // The node says what is wrong with it.
      if ("reason" in reference) continue;
      const name = fullName(reference);
      const files = source.kind === "build" ? await this.#build(source, name, options) : [];
      const isNew = !this.#known.has(name);
      const id = (await this.#engine.inspectImage(name, signal))?.id;
      if (isNew && id === undefined && source.kind === "elsewhere") say(pullText(source, directory));
      if (isNew || this.#known.get(name) !== id) this.#fresh.set(name, { image: source.image, files });
      this.#known.set(name, id);
    }
    return [...this.#fresh.values()];
  }

  used(): void {
    this.#fresh.clear();
  }

  async #build(source: Build, name: string, { say, dataDir, signal }: PreparingOptions): Promise<string[]> {
    const { directory, dockerfile, image } = source;
    const { archive, digests } = await readContext(directory, [dataDir]);
    const before = this.#built.get(name);
    const files = changedPaths(before ?? new Map(), digests);
    if (before && files.length === 0) return [];
    say(`Building ${image} from ${directory}`);
    const onProgress = (line: string) => say(`  ${printable(line)}`);
    await this.#engine.buildImage(name, { context: archive, dockerfile, onProgress }, signal).catch((error) => {
      if (!(error instanceof EngineError)) throw error;
      throw new Failure(printable(error.message));
    });
    this.#built.set(name, digests);
    return before ? files : [];
  }
}

function pullText({ image, containers: [hostname = ""] }: ImageSource, directory: string): string {
  const remedy = `To have it built, put a Dockerfile beside the YAML, or into ${directory}/${hostname}`;
  return `The image ${image} is not on this machine, and there is no Dockerfile for it: it is pulled. ${remedy}`;
}
