import { ConfigMaps, Secrets } from "@berg/kube";
import { expect, test } from "vitest";
import { flagExecutable } from "../flags/executable.ts";
import { flagObjects } from "./flag-objects.ts";
import { blueprintOf, containerOf } from "./testing/blueprints.ts";
import { content, env, executable, flagged } from "./testing/workload-cases.ts";

const flag = "flag{cookies}";
const text = Buffer.from(`${flag}\n`).toString("base64");

test("there is no object where no container asks for a file", () => {
  expect(flagObjects(blueprintOf({ containers: [containerOf("web"), flagged("api", env)] }))).toEqual([]);
});

test("containers that ask for the same share one object, whatever their paths and modes", () => {
  const containers = [
    flagged("a", content),
    flagged("b", { content: { path: "/elsewhere/{entropy}", mode: "0400" } }),
    flagged("c", executable),
    flagged("d", { executable: { path: "/get", mode: 0o555 } }),
  ];
  const objects = flagObjects(blueprintOf({ containers, settings: { architecture: "aarch64" } }));
  const program = flagExecutable(flag, "aarch64").toString("base64");
  expect(objects).toMatchObject([
    { type: ConfigMaps, manifest: { metadata: { name: "flag-content" }, binaryData: { content: text } } },
    { type: ConfigMaps, manifest: { metadata: { name: "flag-executable" }, binaryData: { executable: program } } },
  ]);
});

test("Secrets hold the flag where the organiser says so", () => {
  const objects = flagObjects(
    blueprintOf({ containers: [flagged("a", content)], settings: { flagStorage: "Secret" } }),
  );
  expect(objects).toMatchObject([
    { type: Secrets, manifest: { metadata: { name: "flag-content" }, type: "Opaque", data: { content: text } } },
  ]);
});
