/** Tests of what somebody has who starts `berg up` on a machine with Podman. */
import { afterAll, beforeAll, describe } from "vitest";
import { missingPodman } from "../engine/podman.ts";
import { type Machine, startMachine, type Up } from "./machine.ts";

export interface Given {
  readonly machine: Machine;
  /** Which one runs. A test that ends it puts another in its place. */
  up: Up;
}

export function onOneMachine(define: (given: Given) => void, settings: Readonly<Record<string, string>> = {}): void {
  describe.skipIf(missingPodman())("berg up", { timeout: 120_000 }, () => {
    let machine: Machine | undefined;
    let up: Up | undefined;
    const there = <T>(value: T | undefined): T => {
      if (!value) throw new Error("it is there in tests alone");
      return value;
    };
    const given: Given = {
      get machine() {
        return there(machine);
      },
      get up() {
        return there(up);
      },
      set up(next) {
        up = next;
      },
    };
    beforeAll(async () => {
      machine = await startMachine(settings);
      up = await machine.up();
      if (up.child.exitCode !== null) throw new Error(`berg up ended: ${up.said()}`);
    });
    afterAll(async () => {
      up?.child.kill("SIGINT");
      await up?.ended;
      await machine?.[Symbol.asyncDispose]();
    });
    define(given);
  });
}
