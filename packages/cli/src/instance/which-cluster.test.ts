import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kubeconfigFor, systemClock } from "@berg/kube";
import { afterAll, beforeAll, expect, test } from "vitest";
import { whichCluster } from "./which-cluster.ts";

let root: string;
const { signal } = new AbortController();

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "berg-which-"));
  for (const name of ["flag", "env", "local/.berg/kubeconfig", "home/.kube/config"]) {
    const file = join(root, name);
    await mkdir(join(file, ".."), { recursive: true });
    const server = name.split("/")[0] ?? "";
    await writeFile(file, kubeconfigFor({ name: "x", server: `https://${server}`, token: "t" }));
  }
});
afterAll(() => rm(root, { recursive: true }));

test.each([
  { flag: "flag", env: "env", directory: "local", server: "https://flag", source: "--kubeconfig" },
  { env: "env", directory: "local", server: "https://env", source: "KUBECONFIG=" },
  { directory: "local", server: "https://local", source: "local/.berg/kubeconfig", isLocal: true },
  { directory: "home", server: "https://home", source: "~/.kube/config" },
  // A pod without a service account, as some are: then what is at home, and nothing of the working directory.
  { pod: true, directory: "local", server: "https://home", source: "the pod's service account" },
])("$server", async ({ flag, env, pod, directory, server, source, isLocal = false }) => {
  const found = await whichCluster(flag && join(root, flag), {
    env: {
      HOME: join(root, "home"),
      ...(env && { KUBECONFIG: join(root, env) }),
      ...(pod && { KUBERNETES_SERVICE_HOST: "10.96.0.1", KUBERNETES_SERVICE_PORT: "443" }),
    },
    directory: join(root, directory),
    clock: systemClock,
    signal,
  });
  expect(found.connection.server).toBe(server);
  expect(found.source).toContain(source);
  expect(found.isLocal).toBe(isLocal);
});
