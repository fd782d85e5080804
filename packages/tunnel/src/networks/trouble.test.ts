import { EngineError } from "@berg/local-engine";
import type { ContainerNetworkStatus } from "@berg/resources";
import { expect, test } from "vitest";
import type { Step } from "./decide.ts";
import { makeObject } from "./testing/make-network.ts";
import { statusInTrouble } from "./trouble.ts";

const ran: ContainerNetworkStatus = { state: "Running", id: "id-lab", networkName: "lab", containers: ["a"] };
const away = "The container engine does not answer: this is how things were when it last did";

test.each<[string, Step["do"] | undefined, number, object | undefined]>([
  ["away while it is looked at: all stays as it was", undefined, 0, { ...ran, message: away }],
  ["unwell while it is looked at", undefined, 500, { ...ran, message: away }],
  ["away while one is made", "make", 0, { ...ran, message: away }],
  ["away while one is removed", "remove", 0, { ...ran, message: away }],
  ["the name was taken just now: looked at again", "make", 409, undefined],
  [
    "one cannot be made",
    "make",
    500,
    { state: "FailedToStart", networkName: "lab", message: "The network lab cannot be made, and is tried again: no" },
  ],
  [
    "one cannot be removed",
    "remove",
    409,
    { ...ran, message: "The network lab cannot be removed yet, and is tried again: no" },
  ],
])("%s", (_, during, status, want) => {
  const object = makeObject({ networkName: "lab", status: ran });
  const said = statusInTrouble(object, during, new EngineError("no", status));
  expect(said).toEqual(want && { ...want, observedGeneration: 1 });
});

test("an object that nothing was said of is pending while the engine is away", () => {
  expect(statusInTrouble(makeObject(), undefined, new EngineError("no", 0))).toMatchObject({
    state: "Pending",
    message: away,
  });
});

test("an engine's long complaint is cut to what a status takes", () => {
  const { message = "" } = statusInTrouble(makeObject(), "make", new EngineError("x".repeat(9000), 500)) ?? {};
  expect(message).toHaveLength(4096);
  expect(message).toMatch(/x…$/);
});
