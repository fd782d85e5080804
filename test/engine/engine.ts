/**
 * A container engine for a test: Podman or Docker with storage, networks and socket of its own, gone with everything
 * that it ran when the test is, whatever ends it.
 *
 *     describe.each(testEngines)("$name", ({ start, missing }) => { … await using engine = await start(); … });
 */
import type { ControlledProcess } from "../control-plane/component.ts";
import { missingDocker, startDocker } from "./docker.ts";
import { missingPodman, startPodman } from "./podman.ts";

export interface TestEngine extends AsyncDisposable {
  /** Where it answers. */
  readonly socket: string;
  /** Of its own, for what it keeps; a test may put files beside that. */
  readonly directory: string;
  /** Where containers and the engine itself reach this process. It takes a registry there that speaks plain HTTP. */
  readonly hostAddress: string;
  /** What answers. To be killed and started again; containers of Podman outlive it. */
  readonly service: Pick<ControlledProcess, "start" | "kill">;
  /** Removes everything. May be called again. */
  stop(): Promise<void>;
}

/** A test that holds for any engine is put to each of these. */
export const testEngines = [
  { name: "podman", start: startPodman, missing: missingPodman() },
  { name: "docker", start: startDocker, missing: missingDocker() },
] as const;
