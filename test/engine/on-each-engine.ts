/** A test of an engine is written once and put to each that this machine has: Podman and Docker, with a small image. */
import { type ContainerCreate, connectEngine, type Engine } from "@berg/local-engine";
import { imageArchive } from "@berg/local-node";
import { afterAll, afterEach, beforeAll, describe } from "vitest";
import { busyboxImage } from "../node/image/busybox.ts";
import { type TestEngine, testEngines } from "./engine.ts";

export { startRegistry, type TestRegistry } from "./registry.ts";

export const image = "berg.test/engine:1";
export const label = "berg.test/engine";

export interface Given {
  readonly name: "podman" | "docker";
  readonly engine: Engine;
  readonly real: TestEngine;
  /** A container of the small image, which runs this in a shell; gone after the test. */
  run(script: string, more?: Partial<ContainerCreate>): Promise<string>;
}

let count = 0;

/** `names`: those on which it can be shown at all. */
export function onEachEngine(define: (given: Given) => void, names: Given["name"][] = ["podman", "docker"]): void {
  for (const { name, start, missing } of testEngines.filter(({ name }) => names.includes(name))) {
    describe.skipIf(missing)(`on ${name}`, () => {
      let real: TestEngine | undefined;
      let engine: Engine | undefined;
      const there = <T>(value: T | undefined): T => {
        if (!value) throw new Error("the engine is there in tests alone");
        return value;
      };
      const given: Given = {
        name,
        get engine() {
          return there(engine);
        },
        get real() {
          return there(real);
        },
        async run(script, { HostConfig: host, ...more } = {}) {
          const { id } = await given.engine.createContainer(`engine-test-${++count}`, {
            Image: image,
            Cmd: ["sh", "-c", script],
            Labels: { [label]: "yes" },
            ...more,
            HostConfig: { NetworkMode: "none", ...host },
          });
          await given.engine.startContainer(id);
          return id;
        },
      };
      beforeAll(async () => {
        real = await start();
        engine = connectEngine(real.socket);
        await engine.loadImage(imageArchive(busyboxImage({ name: image, command: ["sleep", "1000"] })));
      });
      afterEach(async () => {
        const left = await given.engine.listContainers({ [label]: "yes" });
        for (const { id } of left) await given.engine.removeContainer(id);
      });
      afterAll(() => real?.stop());
      define(given);
    });
  }
}

/** Looks again until it is so. */
export async function until<T>(look: () => Promise<T | undefined | false>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    const seen = await look();
    if (seen) return seen;
    if (attempt === 200) throw new Error("it did not happen within 10 s");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export function ended(given: Given, id: string) {
  return until(async () => {
    const container = await given.engine.inspectContainer(id);
    return container?.state.status === "exited" && container.state;
  });
}
