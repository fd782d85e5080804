/**
 * Where etcd, Kubernetes and kubectl come from: `KUBEBUILDER_ASSETS`, or a cache outside the checkout that build.sh
 * fills once. What is missing is said in words, so that a suite can be skipped with them.
 */
import { spawn } from "node:child_process";
import { accessSync, constants, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

export const controlPlaneBinaries = [
  "etcd",
  "kube-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
  "kubectl",
] as const;
/** What a node has besides. */
export const nodeBinaries = ["kubelet", "kube-proxy"] as const;
export type BinaryName = (typeof controlPlaneBinaries)[number] | (typeof nodeBinaries)[number];

export type Binaries =
  | { kind: "found"; directory: string }
  | { kind: "buildable"; directory: string }
  | { kind: "missing"; reason: string };

type Environment = Readonly<Record<string, string | undefined>>;

const recipe = join(import.meta.dirname, "binaries");

/** Why no real control plane can run here, or nothing. `describe.skipIf(await missingControlPlane())(…)` */
export async function missingControlPlane(): Promise<string | undefined> {
  const binaries = await findBinaries();
  return binaries.kind === "missing" ? binaries.reason : undefined;
}

/** The directory that holds every binary of these, those that lack built first where that is possible. */
export async function provideBinaries(
  signal?: AbortSignal,
  names: readonly BinaryName[] = controlPlaneBinaries,
): Promise<string> {
  const binaries = await findBinaries(names);
  if (binaries.kind === "missing") throw new Error(`cannot start Kubernetes: ${binaries.reason}`);
  if (binaries.kind === "buildable") await build(binaries.directory, names, signal);
  return binaries.directory;
}

/** A `KUBEBUILDER_ASSETS` that is not whole throws: whoever set it expects it to be used, not skipped. */
export async function findBinaries(
  names: readonly BinaryName[] = controlPlaneBinaries,
  environment: Environment = process.env,
  whyNotGo: () => Promise<string | undefined> = whyGoCannotBuild,
): Promise<Binaries> {
  const assets = environment.KUBEBUILDER_ASSETS;
  if (assets) {
    const lacking = lackingIn(assets, names);
    if (lacking.length === 0) return { kind: "found", directory: assets };
    throw new Error(`KUBEBUILDER_ASSETS=${assets} has no ${lacking.join(", ")}: add what lacks, or unset it`);
  }
  const directory = cacheDirectory(environment, kubernetesVersion(readFileSync(join(recipe, "go.mod"), "utf8")));
  const lacking = lackingIn(directory, names);
  if (lacking.length === 0) return { kind: "found", directory };
  const noGo = await whyNotGo();
  if (noGo === undefined) return { kind: "buildable", directory };
  return {
    kind: "missing",
    reason: `${directory} has no ${lacking.join(", ")}, KUBEBUILDER_ASSETS is not set, and ${noGo}`,
  };
}

export function cacheDirectory(environment: Environment, version: string): string {
  return join(environment.XDG_CACHE_HOME || join(homedir(), ".cache"), "berg", "kubernetes", version);
}

/** `v1.36.4` from the line of go.mod that requires k8s.io/kubernetes. */
export function kubernetesVersion(goMod: string): string {
  const version = /^\s*(?:require\s+)?k8s\.io\/kubernetes\s+(v\S+)/m.exec(goMod)?.[1];
  if (version === undefined)
    throw new Error("cannot read the Kubernetes version: go.mod requires no k8s.io/kubernetes");
  return version;
}

function lackingIn(directory: string, names: readonly BinaryName[]): BinaryName[] {
  return names.filter((name) => {
    try {
      accessSync(join(directory, name), constants.X_OK);
      return false;
    } catch {
      return true;
    }
  });
}

/** Go itself judges whether it is new enough for go.mod, since it may fetch a newer toolchain. */
export function whyGoCannotBuild(module: string = recipe): Promise<string | undefined> {
  return new Promise((resolve) => {
    const go = spawn("go", ["list", "-m"], { cwd: module, stdio: ["ignore", "ignore", "pipe"] });
    let complaint = "";
    go.stderr.on("data", (chunk) => {
      complaint += chunk;
    });
    go.on("error", () => resolve("there is no go to build them with"));
    go.on("close", (code) => resolve(code === 0 ? undefined : `go cannot build them (${complaint.trim()})`));
  });
}

/** build.sh tells its progress on stderr, and holds a lock so that two test runs do not build the same thing. */
function build(directory: string, names: readonly BinaryName[], signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = spawn(join(recipe, "build.sh"), [directory, ...names], {
      stdio: ["ignore", "inherit", "inherit"],
      ...(signal && { signal }),
    });
    script.on("error", reject);
    script.on("close", (code, killedBy) => {
      if (code === 0) resolve();
      else reject(new Error(`cannot build Kubernetes into ${directory}: build.sh ended with ${code ?? killedBy}`));
    });
  });
}
