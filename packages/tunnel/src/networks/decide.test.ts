import { expect, test } from "vitest";
import { decide, type Step } from "./decide.ts";
import { networkNameOf } from "./names.ts";
import { makeNetwork, makeObject, type ObjectOptions } from "./testing/make-network.ts";
import { networkLabels } from "./vocabulary.ts";

const ours = { [networkLabels.uid]: "uid-1" };
const another = { [networkLabels.uid]: "uid-2" };
const named = { networkName: "lab" };
const ran = { state: "Running", id: "id-lab", networkName: "lab" } as const;

/** The network of its name that is there: ours, somebody else's, or none. */
type There = "ours" | "another's" | "foreign" | undefined;
const marks = { ours, "another's": another, foreign: {} };

function step(options: ObjectOptions & { isHeld?: boolean }, there: There, containers: string[] = []): Step {
  const { isHeld = true, ...more } = options;
  const object = makeObject(more);
  const network = there && makeNetwork(networkNameOf(object), marks[there]);
  return decide({ object, isHeld, network, containers });
}

/** `write Running`, or what is done. */
function word(done: Step): string {
  if (done.do === "write") return `write ${done.status.state}`;
  return done.do === "wait" && done.forMs !== undefined ? "wait and look" : done.do;
}

test.each<[string, ObjectOptions & { isHeld?: boolean }, There, string]>([
  ["session: held before anything is made", { isHeld: false }, undefined, "hold"],
  ["session: made where it is not there", {}, undefined, "make"],
  ["session: its own runs, also after a crash before that was said", {}, "ours", "write Running"],
  ["session: one that is there already is not taken", named, "foreign", "write FailedToStart"],
  ["session: nor that of another object", named, "another's", "write FailedToStart"],
  [
    "session: made when the one in the way is gone",
    { ...named, status: { state: "FailedToStart" } },
    undefined,
    "make",
  ],
  ["session: not made anew when somebody has removed it", { ...named, status: ran }, undefined, "write Removed"],
  ["session: nor taken from who has its name then", { ...named, status: ran }, "foreign", "write Removed"],
  ["session: removed with the object", { ...named, status: ran, isDeleted: true }, "ours", "remove"],
  ["session: one that is not its own stays", { ...named, isDeleted: true }, "foreign", "letGo"],
  ["session: that of another object stays", { ...named, isDeleted: true }, "another's", "letGo"],
  ["session: let go where nothing is left", { ...named, status: ran, isDeleted: true }, undefined, "letGo"],
  ["session: deleted before it was held", { isDeleted: true, isHeld: false }, undefined, "wait"],
  ["persistent: made where it is not there", { ...named, mode: "persistent" }, undefined, "make"],
  ["persistent: made anew", { ...named, mode: "persistent", status: ran }, undefined, "make"],
  ["persistent: adopted", { ...named, mode: "persistent", isHeld: false }, "foreign", "write Running"],
  ["persistent: stays", { ...named, mode: "persistent", isDeleted: true, isHeld: false }, "foreign", "wait"],
  ["existing: found", { ...named, mode: "existing", isHeld: false }, "foreign", "write Running"],
  ["existing: waited for", { ...named, mode: "existing", isHeld: false }, undefined, "write NotFound"],
  ["existing: waited for again", { ...named, mode: "existing", status: ran }, undefined, "write Removed"],
  ["existing: stays", { ...named, mode: "existing", isDeleted: true, isHeld: false }, "foreign", "wait"],
])("%s", (_, options, there, want) => {
  expect(word(step(options, there))).toBe(want);
});

test.each<[string, ObjectOptions, There, string]>([
  ["session that runs", named, "ours", "wait"],
  ["session whose name is taken: it may become free", named, "foreign", "wait and look"],
  ["session that is removed", { ...named, status: ran }, undefined, "wait"],
  ["persistent", { ...named, mode: "persistent" }, "foreign", "wait"],
  [
    "existing that is not there: Podman does not tell when it comes",
    { ...named, mode: "existing" },
    undefined,
    "wait and look",
  ],
  ["existing that is gone", { ...named, mode: "existing", status: ran }, undefined, "wait and look"],
])("what is said already is not written again: %s", (_, options, there, want) => {
  const first = step(options, there, ["b", "a"]);
  expect(first.do).toBe("write");
  if (first.do === "write") expect(word(step({ ...options, status: first.status }, there, ["a", "b"]))).toBe(want);
});

test("a network that is gone and comes back runs again", () => {
  const gone = step({ ...named, mode: "existing", status: ran }, undefined);
  expect(gone).toMatchObject({
    status: { state: "Removed", id: "id-lab", message: expect.stringContaining("waited for") },
  });
  if (gone.do !== "write") return;
  expect(word(step({ ...named, mode: "existing", status: gone.status }, "foreign"))).toBe("write Running");
});

test("status says how the network is", () => {
  const network = makeNetwork("lab", ours, {
    ipv6: true,
    subnets: ["10.89.0.0/24", "fd00::/64"],
    gateways: ["10.89.0.1", "fd00::1"],
  });
  const object = makeObject({ ...named, ipv6: true });
  expect(decide({ object, isHeld: true, network, containers: ["b", "a"] })).toEqual({
    do: "write",
    status: {
      observedGeneration: 1,
      state: "Running",
      id: "id-lab",
      networkName: "lab",
      driver: "bridge",
      ipv6: true,
      subnets: ["10.89.0.0/24", "fd00::/64"],
      gateways: ["10.89.0.1", "fd00::1"],
      containers: ["a", "b"],
    },
  });
});

test("a network that was adopted without the IPv6 that was asked for says so", () => {
  const done = step({ ...named, mode: "persistent", ipv6: true }, "foreign");
  expect(done).toMatchObject({
    status: { state: "Running", ipv6: false, message: expect.stringMatching(/has no IPv6 addresses$/) },
  });
});

test("more containers than a status holds are counted", () => {
  const ids = Array.from({ length: 1500 }, (_, i) => `c${String(i).padStart(4, "0")}`);
  const done = step(named, "ours", ids.toReversed());
  expect(done).toMatchObject({ status: { message: "1024 of its 1500 containers are listed" } });
  if (done.do === "write") expect(done.status.containers).toEqual(ids.slice(0, 1024));
});
