import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@berg/kube";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Kept } from "../instance/testing/command-line.ts";
import { readProject } from "./project.ts";
import { runDev } from "./run-dev.ts";
import { webChallenge } from "./testing/author.ts";

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "berg-project-"));
});
afterAll(() => rm(directory, { recursive: true }));

test.each([
  { what: "no file", yaml: undefined, code: 2, want: "challenge.yaml: there is no such file" },
  { what: "no Challenge", yaml: "", code: 1, want: "must have one Challenge, and there is no Challenge in it" },
  {
    what: "two of them",
    yaml: `${webChallenge()}---\n${webChallenge()}`,
    code: 1,
    want: "must have one Challenge, and there are 2 in it",
  },
  {
    what: "mistakes",
    yaml: webChallenge("      additionalCapabilities: [net]\n"),
    code: 1,
    want: "error: spec.containers[0].additionalCapabilities[0]",
  },
  { what: "no YAML", yaml: "{", code: 1, want: "this is not YAML" },
])("$what is told before anything is started", async ({ yaml, code, want }) => {
  const file = join(directory, "challenge.yaml");
  await rm(file, { force: true });
  if (yaml !== undefined) await writeFile(file, yaml);
  const [stdout, stderr] = [new Kept(), new Kept()];
  const options = {
    dataDir: join(directory, "data"),
    runtime: "simulated",
    httpPort: 0,
    tlsPort: 0,
    tunnel: [],
  } as const;
  const around = { stdout, stderr, env: {}, directory, clock: systemClock, signal: new AbortController().signal };
  expect(await runDev(file, options, { ...around, randomBytes: (count) => new Uint8Array(count) })).toBe(code);
  expect(stderr.text).toContain(want);
  expect(stderr.text).not.toContain("control plane");
});

test("warnings do not stop it, and are told with their place", async () => {
  const file = join(directory, "warned.yaml");
  await writeFile(file, webChallenge().replace("berg.test/dev-page:1", "nginx:latest"));
  const { warnings, challenge } = await readProject(file);
  expect(challenge.spec.containers[0]?.ports).toHaveLength(1);
  expect(warnings).toEqual([expect.stringMatching(/warned\.yaml:\d+:\d+: warning: spec\.containers\[0\]\.image/)]);
});

test("a field that only another platform knows is a warning, and is left out", async () => {
  const file = join(directory, "unknown.yaml");
  await writeFile(file, webChallenge("      command: [sh]\n"));
  const { warnings, challenge } = await readProject(file);
  expect(challenge.spec.containers[0]).not.toHaveProperty("command");
  expect(warnings).toEqual([expect.stringMatching(/warning: spec\.containers\[0\]\.command: there is no such field/)]);
});

test("a directory is told apart from a file that is not there", () =>
  expect(readProject(directory)).rejects.toThrow(
    `cannot read ${directory}: it is a directory; name the YAML file in it`,
  ));
