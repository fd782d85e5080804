import type { ConfigMap, Secret } from "@berg/kube";
import { describe, expect, test } from "vitest";
import type { Volume } from "../containers/shapes.ts";
import { makePod, place } from "../containers/testing/pods.ts";
import { payloadOf } from "./payload.ts";
import { objectsOfContainer, objectsOfVolume } from "./used-objects.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const sources = {
  configMap: (name: string) =>
    name === "cm" ? ({ data: { a: "aaa" }, binaryData: { bin: base64("\u0001") } } as unknown as ConfigMap) : undefined,
  secret: (name: string) => (name === "sec" ? ({ data: { s: base64("sss") } } as unknown as Secret) : undefined),
  token: (path: string) => (path === "token" ? "t0k" : undefined),
};

function files(volume: Omit<Volume, "name">, pod = makePod({}, {}, { labels: { x: "y" } })): Record<string, string> {
  const payload = payloadOf({ name: "v", ...volume }, pod, place, sources);
  const shown = [...payload].map(([path, { bytes, mode }]) => [path, `${mode.toString(8)} ${Buffer.from(bytes)}`]);
  return Object.fromEntries(shown);
}

describe("what stands in a volume", () => {
  const cases: { name: string; volume: Omit<Volume, "name">; want: Record<string, string> }[] = [
    { name: "a ConfigMap", volume: { configMap: { name: "cm" } }, want: { a: "644 aaa", bin: "644 \u0001" } },
    {
      name: "some of it, with modes",
      volume: {
        configMap: {
          name: "cm",
          defaultMode: 0o400,
          items: [
            { key: "a", path: "x/y", mode: 0o600 },
            { key: "bin", path: "b" },
          ],
        },
      },
      want: { "x/y": "600 aaa", b: "400 \u0001" },
    },
    { name: "a Secret", volume: { secret: { secretName: "sec", defaultMode: 0o440 } }, want: { s: "440 sss" } },
    { name: "nothing of what may be missing", volume: { secret: { secretName: "no", optional: true } }, want: {} },
    {
      name: "only the key that is there",
      volume: {
        configMap: {
          name: "cm",
          optional: true,
          items: [
            { key: "no", path: "no" },
            { key: "a", path: "a" },
          ],
        },
      },
      want: { a: "644 aaa" },
    },
    {
      name: "the pod itself",
      volume: {
        downwardAPI: {
          items: [
            { path: "labels", fieldRef: { fieldPath: "metadata.labels" } },
            {
              path: "cpu",
              mode: 0o600,
              resourceFieldRef: { containerName: "c", resource: "limits.cpu", divisor: "1m" },
            },
          ],
        },
      },
      want: { labels: '644 x="y"', cpu: "600 2000" },
    },
    {
      name: "several in one, the later over the earlier",
      volume: {
        projected: {
          defaultMode: 0o444,
          sources: [
            { configMap: { name: "cm" } },
            { secret: { name: "sec", items: [{ key: "s", path: "a" }] } },
            { serviceAccountToken: { path: "token" } },
            { downwardAPI: { items: [{ path: "ns", fieldRef: { fieldPath: "metadata.namespace" } }] } },
          ],
        },
      },
      want: { a: "444 sss", bin: "444 \u0001", token: "444 t0k", ns: "444 ctf" },
    },
  ];
  test.each(cases)("$name", ({ volume, want }) => expect(files(volume)).toEqual(want));

  const missing: { volume: Omit<Volume, "name">; want: string }[] = [
    { volume: { configMap: { name: "nope" } }, want: 'configmap "nope" not found' },
    { volume: { secret: { secretName: "nope" } }, want: 'secret "nope" not found' },
    {
      volume: { configMap: { name: "cm", items: [{ key: "zz", path: "zz" }] } },
      want: "configmap references non-existent config key: zz",
    },
    {
      volume: { secret: { secretName: "sec", items: [{ key: "zz", path: "zz" }] } },
      want: "references non-existent secret key: zz",
    },
    {
      volume: { projected: { sources: [{ clusterTrustBundle: {} } as never] } },
      want: "cannot project clusterTrustBundle",
    },
  ];
  test.each(missing)("or why it does not: $want", ({ volume, want }) => {
    expect(() => files(volume)).toThrow(want);
  });
});

test("a token is for the pod's own user where all of its containers have the same", () => {
  const volume = { projected: { sources: [{ serviceAccountToken: { path: "token" } }] } };
  const modes = [
    files(volume, makePod({}, { securityContext: { runAsUser: 5 } })),
    files(volume, makePod({}, { securityContext: { fsGroup: 5 } })),
    files(volume, makePod({ securityContext: { runAsUser: 5 } })),
  ].map(({ token }) => token?.split(" ")[0]);
  expect(modes).toEqual(["600", "600", "644"]);
});

test("what a volume and a container are made of is known before it is read", () => {
  const volume = {
    name: "v",
    projected: { sources: [{ configMap: { name: "a" } }, { secret: { name: "b" } }, { downwardAPI: {} }] },
  };
  expect(objectsOfVolume(volume)).toEqual({ configMaps: new Set(["a"]), secrets: new Set(["b"]) });
  expect(objectsOfVolume({ name: "v", secret: { secretName: "s" } }).secrets).toEqual(new Set(["s"]));
  const container = {
    name: "c",
    envFrom: [{ secretRef: { name: "s" } }, { configMapRef: { name: "c" } }],
    env: [{ name: "X", valueFrom: { configMapKeyRef: { name: "d", key: "k" } } }],
  };
  expect(objectsOfContainer(container)).toEqual({ configMaps: new Set(["c", "d"]), secrets: new Set(["s"]) });
});
