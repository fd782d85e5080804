import { describe, expect, test } from "vitest";
import { makeFiles } from "../testing/files.ts";
import { ConfigurationError } from "./configuration-error.ts";
import { readPod } from "./in-cluster.ts";

const mounted = { token: "t", "ca.crt": "ca", namespace: "berg\n" };

describe("a pod", () => {
  test.each([
    { host: "10.96.0.1", port: "443", want: "https://10.96.0.1" },
    { host: "kubernetes.default.svc", port: "6443", want: "https://kubernetes.default.svc:6443" },
    { host: "fd00:10::1", port: "6443", want: "https://[fd00:10::1]:6443" },
  ])("reaches $host as $want", async ({ host, port, want }) => {
    const directory = await makeFiles(mounted);
    const pod = await readPod({ KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port }, directory);
    expect(pod).toEqual({
      cluster: {
        server: want,
        ca: { what: "the pod's certificate authority", file: `${directory}/ca.crt` },
        skipVerify: false,
      },
      user: { kind: "tokenFile", file: `${directory}/token`, what: "the pod's token" },
      namespace: "berg",
    });
  });

  const env = { KUBERNETES_SERVICE_HOST: "10.96.0.1", KUBERNETES_SERVICE_PORT: "443" };
  test.each([
    { name: "without the host variable", env: { ...env, KUBERNETES_SERVICE_HOST: "" }, files: mounted },
    { name: "without the port variable", env: { KUBERNETES_SERVICE_HOST: "10.96.0.1" }, files: mounted },
    { name: "without a token", env, files: { "ca.crt": "ca", namespace: "berg" } },
  ])("is none $name", async ({ env, files }) => {
    expect(await readPod(env, await makeFiles(files))).toBeUndefined();
  });

  test.each([
    { name: "no namespace", env, files: { token: "t" }, want: /namespace \(the pod's namespace\): there is no such/ },
    { name: "an empty namespace", env, files: { ...mounted, namespace: " " }, want: /the pod's namespace\) is empty/ },
    {
      name: "a port that is none",
      env: { ...env, KUBERNETES_SERVICE_PORT: "tcp://10.0.0.1:443" },
      files: mounted,
      want: /KUBERNETES_SERVICE_PORT are not the address/,
    },
    {
      name: "a host that is none",
      env: { ...env, KUBERNETES_SERVICE_HOST: "user@evil/x?" },
      files: mounted,
      want: /KUBERNETES_SERVICE_HOST and/,
    },
  ])("with $name is an error", async ({ env, files, want }) => {
    const read = readPod(env, await makeFiles(files));
    await expect(read).rejects.toThrow(want);
    await expect(read).rejects.toBeInstanceOf(ConfigurationError);
  });
});
