import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  cacheDirectory,
  controlPlaneBinaries,
  findBinaries,
  kubernetesVersion,
  nodeBinaries,
  whyGoCannotBuild,
} from "./binaries.ts";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "berg-binaries-"));
});
afterEach(() => rm(directory, { recursive: true }));

async function put(folder: string, names: readonly string[], text = ""): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of names) await writeFile(join(folder, name), text, { mode: 0o755 });
}

const goWorks = async () => undefined;
const noGo = async () => "there is no go";
const notAsked = async () => expect.unreachable("asked for go though the binaries are there");

describe("finding the binaries", () => {
  test("takes a whole KUBEBUILDER_ASSETS before anything else", async () => {
    await put(directory, controlPlaneBinaries);
    const found = await findBinaries(
      controlPlaneBinaries,
      { KUBEBUILDER_ASSETS: directory, XDG_CACHE_HOME: "/nowhere" },
      notAsked,
    );
    expect(found).toEqual({ kind: "found", directory });
  });

  test("refuses a KUBEBUILDER_ASSETS that lacks some, by name", async () => {
    await put(directory, ["etcd", "kube-apiserver", "kubectl"]);
    const search = findBinaries(controlPlaneBinaries, { KUBEBUILDER_ASSETS: directory }, goWorks);
    await expect(search).rejects.toThrow(
      `KUBEBUILDER_ASSETS=${directory} has no kube-controller-manager, kube-scheduler: add what lacks, or unset it`,
    );
  });

  test("takes the cache of the version that go.mod names", async () => {
    const version = kubernetesVersion(await readFile(join(import.meta.dirname, "binaries", "go.mod"), "utf8"));
    const cache = join(directory, "berg", "kubernetes", version);
    await put(cache, controlPlaneBinaries);
    const found = await findBinaries(controlPlaneBinaries, { XDG_CACHE_HOME: directory }, notAsked);
    expect(found).toEqual({ kind: "found", directory: cache });
  });

  test("wants a build where one binary lacks and go is there", async () => {
    const found = await findBinaries(controlPlaneBinaries, { XDG_CACHE_HOME: directory }, goWorks);
    expect(found.kind).toBe("buildable");
  });

  test("a control plane does without what only a node has", async () => {
    await put(directory, controlPlaneBinaries);
    const environment = { KUBEBUILDER_ASSETS: directory };
    expect(await findBinaries(controlPlaneBinaries, environment)).toEqual({ kind: "found", directory });
    await expect(findBinaries([...controlPlaneBinaries, ...nodeBinaries], environment)).rejects.toThrow(
      "has no kubelet, kube-proxy",
    );
  });

  test("says what is missing where there is no go either", async () => {
    const found = await findBinaries(controlPlaneBinaries, { XDG_CACHE_HOME: directory }, noGo);
    expect(found).toEqual({
      kind: "missing",
      reason: expect.stringMatching(
        /^\S+ has no etcd, kube-apiserver, .*kubectl, KUBEBUILDER_ASSETS is not set, and there is no go$/,
      ),
    });
  });
});

test.each([
  { environment: { XDG_CACHE_HOME: "/cache" }, want: "/cache/berg/kubernetes/v1.2.3" },
  { environment: { XDG_CACHE_HOME: "" }, want: join(homedir(), ".cache/berg/kubernetes/v1.2.3") },
  { environment: {}, want: join(homedir(), ".cache/berg/kubernetes/v1.2.3") },
])("the cache with $environment is $want", ({ environment, want }) => {
  expect(cacheDirectory(environment, "v1.2.3")).toBe(want);
});

test.each([
  { goMod: "require (\n\tk8s.io/kubernetes v1.36.4\n)", want: "v1.36.4" },
  { goMod: "require k8s.io/kubernetes v1.40.0-rc.1 // indirect", want: "v1.40.0-rc.1" },
  { goMod: "tool k8s.io/kubernetes/cmd/kubectl\n\tk8s.io/kubernetes v1.0.0", want: "v1.0.0" },
])("reads $want from go.mod", ({ goMod, want }) => {
  expect(kubernetesVersion(goMod)).toBe(want);
});

test("a go.mod without Kubernetes is refused", () => {
  expect(() => kubernetesVersion("module x\n")).toThrow("go.mod requires no k8s.io/kubernetes");
});

test("a go that is too old, or absent, is told as the reason", async () => {
  await writeFile(join(directory, "go.mod"), "module x\n\ngo 9.99.0\n");
  expect(await whyGoCannotBuild(directory)).toMatch(/^go cannot build them \(|^there is no go to build them with$/);
});

describe("build.sh", () => {
  // Stands in for the compiler: notes what it was asked to build, and takes its time.
  const fakeGo = `#!/bin/sh
if [ "$1" = list ]; then echo v1.2.3; exit; fi
while [ "$1" != -o ]; do shift; done
echo "$3" >> "$BUILDS"
echo half > "$2"
[ -z "$FAILS" ] || exit 1
sleep 0.1; echo binary > "$2"; chmod +x "$2"
`;

  async function build(
    environment: Record<string, string> = {},
    names: readonly string[] = controlPlaneBinaries,
  ): Promise<number | null> {
    const tools = join(directory, "tools");
    await put(tools, ["go"], fakeGo);
    const script = spawn(join(import.meta.dirname, "binaries", "build.sh"), [join(directory, "out"), ...names], {
      stdio: "ignore",
      env: { PATH: `${tools}:${process.env.PATH}`, BUILDS: join(directory, "builds"), ...environment },
    });
    return new Promise((resolve) => script.on("close", resolve));
  }
  const visible = async () => (await readdir(join(directory, "out"))).filter((name) => name !== ".lock");

  test("two at once build each binary once", async () => {
    expect(await Promise.all([build(), build()])).toEqual([0, 0]);
    const builds = (await readFile(join(directory, "builds"), "utf8")).trim().split("\n");
    expect(builds).toHaveLength(controlPlaneBinaries.length);
    expect((await visible()).sort()).toEqual([...controlPlaneBinaries].sort());
  });

  test("what is there already is not built again", async () => {
    expect(await build()).toBe(0);
    expect(await build({}, [...controlPlaneBinaries, ...nodeBinaries])).toBe(0);
    const builds = (await readFile(join(directory, "builds"), "utf8")).trim().split("\n");
    expect(builds.slice(controlPlaneBinaries.length)).toEqual(
      nodeBinaries.map((name) => `k8s.io/kubernetes/cmd/${name}`),
    );
  });

  test("a failed build fails, and leaves nothing that looks like a binary", async () => {
    expect(await build({ FAILS: "yes" })).not.toBe(0);
    expect(await visible()).toEqual([]);
  });
});
