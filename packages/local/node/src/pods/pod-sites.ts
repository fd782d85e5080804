/** What each piece of work on one pod needs of its surroundings, as they are now. */
import type { Place } from "../containers/field-values.ts";
import type { PodVolumes } from "../volumes/pod-volumes.ts";
import type { StartSite } from "./make-container.ts";
import type { SandboxSite } from "./make-sandbox.ts";
import type { PodSurroundings } from "./surroundings.ts";

export class PodSites {
  readonly #around: PodSurroundings;
  readonly #volumes: PodVolumes;
  readonly #directory: string;

  constructor(around: PodSurroundings, volumes: PodVolumes, directory: string) {
    this.#around = around;
    this.#volumes = volumes;
    this.#directory = directory;
  }

  start(pauseId: string, podIP: string): StartSite {
    const { client, engine, view, clock, images, events, node, host } = this.#around;
    const volumes = this.#volumes;
    const site = { client, engine, view, clock, images, volumes, events, node, pauseId };
    return { ...site, directory: this.#directory, place: this.place(podIP), runtime: host().runtime };
  }

  sandbox(): SandboxSite {
    const { engine, view, clock, networks, images, node } = this.#around;
    const { podIP: _, ...place } = this.place("");
    return { engine, view, clock, networks, images, volumes: this.#volumes, directory: this.#directory, node, place };
  }

  place(podIP: string): Place {
    const { node, host, view } = this.#around;
    const { reach } = view;
    const { cpus = 1, memoryBytes = 0 } = reach.is === "there" ? reach.info : {};
    return { node, hostIP: host().ip, podIP, capacity: { cpus, memoryBytes } };
  }
}
