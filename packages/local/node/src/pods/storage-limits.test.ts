import { expect, test } from "vitest";
import type { Container, Volume } from "../containers/shapes.ts";
import { makePod } from "../containers/testing/pods.ts";
import { hasStorageLimit, overStorage, type StorageUse } from "./storage-limits.ts";

const Mi = 1024 * 1024;
const limited = (limit: string, name = "c"): Container => ({
  name,
  image: "web:1",
  resources: { limits: { "ephemeral-storage": limit } },
});
const emptyDir = (sizeLimit?: string, medium?: string): Volume => ({
  name: "scratch",
  emptyDir: { ...(sizeLimit !== undefined && { sizeLimit }), ...(medium !== undefined && { medium }) },
});

interface Case {
  name: string;
  containers?: Container[];
  initContainers?: Container[];
  volumes?: Volume[];
  /** In MiB. */
  use: { volumes?: Record<string, number>; containers?: Record<string, number>; files?: number };
  want?: string;
}

const cases: Case[] = [
  { name: "no limit, no end", volumes: [emptyDir()], use: { volumes: { scratch: 9999 }, containers: { c: 9999 } } },
  {
    name: "an emptyDir over its limit",
    volumes: [emptyDir("10Mi")],
    use: { volumes: { scratch: 11 } },
    want: 'Usage of EmptyDir volume "scratch" exceeds the limit "10Mi". ',
  },
  { name: "an emptyDir at its limit", volumes: [emptyDir("10Mi")], use: { volumes: { scratch: 10 } } },
  { name: "an emptyDir with a limit of nothing has none", volumes: [emptyDir("0")], use: { volumes: { scratch: 11 } } },
  {
    name: "one in memory has its size already",
    volumes: [emptyDir("1Mi", "Memory")],
    use: { volumes: { scratch: 9 } },
  },
  {
    name: "containers and their volumes together",
    containers: [limited("10Mi"), limited("20Mi", "d")],
    volumes: [emptyDir()],
    use: { volumes: { scratch: 15 }, containers: { c: 8, d: 8 } },
    want: "Pod ephemeral local storage usage exceeds the total limit of containers 30Mi. ",
  },
  {
    name: "files of ours that were made long count for the pod",
    containers: [limited("10Mi")],
    use: { containers: { c: 5 }, files: 6 },
    want: "Pod ephemeral local storage usage exceeds the total limit of containers 10Mi. ",
  },
  {
    name: "one container over its own, though all together are not",
    containers: [limited("10Mi"), limited("20Mi", "d")],
    use: { containers: { c: 11, d: 1 } },
    want: 'Container c exceeded its local ephemeral storage limit "10Mi". ',
  },
  {
    name: "one without a limit beside one that has",
    containers: [{ name: "c", image: "web:1" }, limited("20Mi", "d")],
    use: { containers: { c: 21 } },
    want: "Pod ephemeral local storage usage exceeds the total limit of containers 20Mi. ",
  },
  {
    name: "the pod may use what its init container alone may",
    initContainers: [limited("100Mi", "i")],
    containers: [limited("10Mi")],
    volumes: [emptyDir()],
    use: { volumes: { scratch: 90 } },
  },
  {
    name: "sidecars count with the others",
    initContainers: [{ ...limited("5Mi", "s"), restartPolicy: "Always" }],
    containers: [limited("10Mi")],
    volumes: [emptyDir()],
    use: { volumes: { scratch: 16 } },
    want: "Pod ephemeral local storage usage exceeds the total limit of containers 15Mi. ",
  },
];

test.each(cases)("$name", ({ containers, initContainers, volumes, use, want }) => {
  const pod = makePod(
    {},
    { ...(containers && { containers }), ...(initContainers && { initContainers }), ...(volumes && { volumes }) },
  );
  const bytes = (list: Record<string, number> = {}) => new Map(Object.entries(list).map(([key, mi]) => [key, mi * Mi]));
  const measured: StorageUse = {
    volumes: bytes(use.volumes),
    containers: bytes(use.containers),
    files: (use.files ?? 0) * Mi,
  };
  expect(overStorage(pod, measured)).toBe(want);
});

test("only where there is a limit does anybody look", () => {
  expect(hasStorageLimit(makePod({}, { volumes: [emptyDir()] }))).toBe(false);
  expect(hasStorageLimit(makePod({}, { volumes: [emptyDir("1Mi", "Memory")] }))).toBe(false);
  expect(hasStorageLimit(makePod({}, { volumes: [emptyDir("1Mi")] }))).toBe(true);
  expect(hasStorageLimit(makePod(limited("1Mi")))).toBe(true);
});
