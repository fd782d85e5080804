import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeCa } from "../testing/certificates.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { makeFiles } from "../testing/files.ts";
import { ConfigurationError } from "./configuration-error.ts";
import { type LoadOptions, loadConnection } from "./load-connection.ts";
import { kubeconfigFor } from "./write-kubeconfig.ts";

const { ca } = await makeCa();
const kubeconfig = (name: string) => kubeconfigFor({ name, server: `https://${name}`, token: name, namespace: name });
const clock = new FakeClock();
const inPod = { KUBERNETES_SERVICE_HOST: "10.96.0.1", KUBERNETES_SERVICE_PORT: "443" };
const mounted = { "pod/token": "pod", "pod/ca.crt": ca, "pod/namespace": "pod" };

describe("the connection", () => {
  const everything = {
    flag: kubeconfig("flag"),
    first: kubeconfig("first"),
    second: kubeconfig("second"),
    ".kube/config": kubeconfig("home"),
    ...mounted,
  };
  test.each<{ name: string; env?: (at: string) => NodeJS.ProcessEnv; options?: Partial<LoadOptions>; want: string }>([
    {
      name: "a flag's file",
      env: (at) => ({ ...inPod, KUBECONFIG: `${at}/first` }),
      options: { kubeconfig: "flag" },
      want: "flag",
    },
    { name: "KUBECONFIG", env: (at) => ({ ...inPod, KUBECONFIG: `${at}/first:${at}/second` }), want: "first" },
    { name: "what of KUBECONFIG is there", env: (at) => ({ KUBECONFIG: `:${at}/no::${at}/second` }), want: "second" },
    { name: "the pod", env: () => inPod, want: "pod" },
    { name: "the pod where KUBECONFIG is empty", env: () => ({ ...inPod, KUBECONFIG: "" }), want: "pod" },
    { name: "the home directory", want: "home" },
    { name: "the home directory for a named context", env: () => inPod, options: { context: "home" }, want: "home" },
    {
      name: "a named context of any file",
      env: (at) => ({ KUBECONFIG: `${at}/first:${at}/second` }),
      options: { context: "second" },
      want: "second",
    },
  ])("comes from $name", async ({ env, options = {}, want }) => {
    const at = await makeFiles(everything);
    const connection = await loadConnection({
      clock,
      env: { HOME: at, ...env?.(at) },
      serviceAccount: join(at, "pod"),
      ...options,
      ...(options.kubeconfig !== undefined && { kubeconfig: join(at, options.kubeconfig) }),
    });
    expect(connection.namespace).toBe(want);
    expect(connection.server).toBe(want === "pod" ? "https://10.96.0.1" : `https://${want}`);
    expect(await connection.authorization()).toBe(`Bearer ${want}`);
  });

  test("of a pod follows its token and its CA", async () => {
    const at = await makeFiles(mounted);
    const connection = await loadConnection({ clock, env: inPod, serviceAccount: join(at, "pod") });
    expect(await connection.tls()).toEqual({ ca, rejectUnauthorized: true });
    const renewed = (await makeCa()).ca;
    await writeFile(join(at, "pod/ca.crt"), renewed);
    await writeFile(join(at, "pod/token"), "renewed");
    expect(await connection.tls()).toEqual({ ca: renewed, rejectUnauthorized: true });
    expect(await connection.authorization()).toBe("Bearer pod");
    connection.refused("Bearer pod");
    expect(await connection.authorization()).toBe("Bearer renewed");
  });

  test("finds each file's own files beside it, wherever the process runs", async () => {
    const at = await makeFiles({
      "a/config": `
current-context: x
contexts: [{name: x, context: {cluster: x, user: x}}]
users: [{name: x, user: {tokenFile: token}}]`,
      "a/token": "beside-a",
      "b/config": "clusters: [{name: x, cluster: {server: https://x, certificate-authority: ./ca.crt}}]",
      "b/ca.crt": ca,
    });
    const connection = await loadConnection({ clock, env: { KUBECONFIG: `${at}/a/config:${at}/b/config` } });
    expect(await connection.authorization()).toBe("Bearer beside-a");
    expect((await connection.tls()).ca).toBe(ca);
  });
});

describe("an error", () => {
  test.each<{ name: string; options: (at: string) => Partial<LoadOptions>; want: (at: string) => string }>([
    {
      name: "a flag's file that is not there, though the home directory has one",
      options: (at) => ({ kubeconfig: join(at, "no"), env: { HOME: at } }),
      want: (at) => `cannot read ${at}/no (the kubeconfig that --kubeconfig names): there is no such file`,
    },
    {
      name: "a KUBECONFIG that is not there, though this is a pod",
      options: (at) => ({ env: { ...inPod, KUBECONFIG: `${at}/no` } }),
      want: (at) => `cannot read ${at}/no (the kubeconfig that KUBECONFIG names): there is no such file`,
    },
    {
      name: "a KUBECONFIG of which nothing is there",
      options: (at) => ({ env: { KUBECONFIG: `${at}/no:${at}/nor` } }),
      want: (at) => `none of the kubeconfig files that KUBECONFIG names is there: ${at}/no, ${at}/nor`,
    },
    {
      name: "a kubeconfig that is a directory",
      options: (at) => ({ kubeconfig: at }),
      want: (at) => `cannot read ${at} (the kubeconfig that --kubeconfig names): it is a directory`,
    },
    {
      name: "a broken file among good ones",
      options: (at) => ({ env: { KUBECONFIG: `${at}/.kube/config:${at}/broken` } }),
      want: (at) => `kubeconfig ${at}/broken is not valid YAML at line 2, column 1 (TAB_AS_INDENT)`,
    },
    {
      name: "nothing anywhere",
      options: (at) => ({ env: { HOME: join(at, "pod") } }),
      want: (at) =>
        `no kubeconfig is given: KUBECONFIG is not set, and this is no pod with a service account, and there is no ${at}/pod/.kube/config`,
    },
    {
      name: "no home either",
      options: () => ({ env: {} }),
      want: () =>
        "no kubeconfig is given: KUBECONFIG is not set, and this is no pod with a service account, and HOME is not set either",
    },
    {
      name: "a pod without its CA",
      options: (at) => ({ env: inPod, serviceAccount: join(at, "half") }),
      want: (at) => `cannot read ${at}/half/ca.crt (the pod's certificate authority): there is no such file`,
    },
    {
      name: "a context that is not there",
      options: (at) => ({ context: "hom", env: { HOME: at } }),
      want: (at) => `there is no context "hom" in ${at}/.kube/config: choose one of "home"`,
    },
  ])("tells of $name", async ({ options, want }) => {
    const at = await makeFiles({
      ".kube/config": kubeconfig("home"),
      broken: "users:\n\t- s3cret",
      "half/token": "t",
      "half/namespace": "n",
      ...mounted,
    });
    const load = loadConnection({ clock, serviceAccount: join(at, "pod"), ...options(at) } as LoadOptions);
    await expect(load).rejects.toThrow(new ConfigurationError(want(at)));
  });

  test("tells of a file that may not be read", async () => {
    const at = await makeFiles({ config: kubeconfig("a") });
    await chmod(join(at, "config"), 0o000);
    // Root may read everything, so it is somebody else for a moment.
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(65534);
    try {
      await expect(loadConnection({ clock, env: {}, kubeconfig: join(at, "config") })).rejects.toThrow(
        `cannot read ${at}/config (the kubeconfig that --kubeconfig names): this process is not permitted to read it`,
      );
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });

  test("is the reason of a caller that has given up", async () => {
    const at = await makeFiles({ config: kubeconfig("a") });
    const load = loadConnection({
      clock,
      env: {},
      kubeconfig: join(at, "config"),
      signal: AbortSignal.abort("enough"),
    });
    await expect(load).rejects.toBe("enough");
  });
});
