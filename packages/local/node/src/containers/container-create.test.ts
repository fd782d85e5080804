import { describe, expect, test } from "vitest";
import { containerCreate, pauseCreate } from "./container-create.ts";
import { engineName, makeLabels, readLabels } from "./labels.ts";
import { resourceLimits } from "./resources.ts";
import type { Container, PodSpec } from "./shapes.ts";
import { firstContainer, makeImage, makePod } from "./testing/pods.ts";

function create(
  container: Partial<Container> = {},
  spec: Partial<PodSpec> = {},
  image = makeImage(),
  changes: { namesHost?: boolean; runtime?: string } = {},
) {
  const pod = makePod(container, spec);
  return containerCreate({
    pod,
    container: firstContainer(pod),
    node: "laptop",
    attempt: 2,
    image,
    env: new Map([["A", "1"]]),
    binds: [
      { from: "/data/v", to: "/v", readOnly: true },
      { from: "/data/w", to: "/w", readOnly: false },
    ],
    pauseId: "p1",
    machineBytes: 4 * 1024 ** 3,
    namesHost: false,
    ...changes,
  });
}

const ordinary = [
  ...["CAP_AUDIT_WRITE", "CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_FSETID", "CAP_KILL", "CAP_MKNOD"],
  ...["CAP_NET_BIND_SERVICE", "CAP_NET_RAW", "CAP_SETFCAP", "CAP_SETGID", "CAP_SETPCAP", "CAP_SETUID"],
  "CAP_SYS_CHROOT",
];

test("an ordinary container is in its pod's network, limited, and marked as ours", () => {
  expect(create()).toEqual({
    Image: "sha256:1",
    Env: ["A=1"],
    Labels: {
      "berg.local/node": "laptop",
      "berg.local/namespace": "ctf",
      "berg.local/pod": "web",
      "berg.local/pod-uid": "u-1",
      "berg.local/role": "container",
      "berg.local/container": "c",
      "berg.local/attempt": "2",
      "berg.local/sandbox": "p1",
    },
    HostConfig: {
      NetworkMode: "container:p1",
      IpcMode: "container:p1",
      Binds: ["/data/v:/v:ro", "/data/w:/w:rw"],
      PidsLimit: 1024,
      Memory: 2 * 1024 ** 3,
      MemorySwap: 2 * 1024 ** 3,
      OomScoreAdj: 1000,
      CpuShares: 2,
      CapDrop: ["ALL"],
      CapAdd: ordinary,
      LogConfig: { Type: "json-file", Config: { "max-size": "10m", "max-file": "2" } },
      RestartPolicy: { Name: "no" },
    },
  });
});

describe("command and arguments take the place of the image's", () => {
  const image = makeImage({ entrypoint: ["/entry"], command: ["image-arg"] });
  const cases: { container: Partial<Container>; want: object }[] = [
    { container: {}, want: {} },
    { container: { command: ["/x", "$(A)"] }, want: { Entrypoint: ["/x", "1"], Cmd: [] } },
    { container: { args: ["$(A)", "$$(A)"] }, want: { Entrypoint: ["/entry"], Cmd: ["1", "$(A)"] } },
    { container: { command: ["/x"], args: ["y"] }, want: { Entrypoint: ["/x"], Cmd: ["y"] } },
  ];
  test.each(cases)("$container", ({ container, want }) => {
    const { Entrypoint, Cmd } = create(container, {}, image);
    expect({ ...(Entrypoint && { Entrypoint }), ...(Cmd && { Cmd }) }).toEqual(want);
  });
});

describe("limits", () => {
  test("memory has no swap beyond it; processor time is by quota, and by share where it is scarce", () => {
    const resources = { limits: { cpu: "1500m", memory: "64Mi" }, requests: { cpu: "250m", memory: "32Mi" } };
    expect(create({ resources }).HostConfig).toMatchObject({
      Memory: 64 * 1024 ** 2,
      MemorySwap: 64 * 1024 ** 2,
      NanoCpus: 1_500_000_000,
      CpuShares: 256,
      OomScoreAdj: 992,
    });
  });
  test("without a limit it may have half of the machine, and whoever works there the other half", () => {
    const half = 2 * 1024 ** 3;
    expect(create({}).HostConfig).toMatchObject({ Memory: half, MemorySwap: half, PidsLimit: 1024 });
  });
  test("of a machine that does not say what it has nothing is guessed", () => {
    expect(resourceLimits(makePod(), firstContainer(makePod()), 0)).not.toHaveProperty("Memory");
  });
  test("a share without a request is the limit's", () => {
    expect(create({ resources: { limits: { cpu: "2" } } }).HostConfig.CpuShares).toBe(2048);
  });
  const scores = [
    { resources: {}, want: 1000 },
    { resources: { limits: { cpu: "1", memory: "1Gi" } }, want: 0 },
    { resources: { requests: { memory: "2Gi" } }, want: 500 },
    { resources: { requests: { cpu: "1" } }, want: 999 },
    { resources: { requests: { memory: "9Gi" } }, want: 3 },
  ];
  test.each(scores)("who asks for $resources is killed at $want", ({ resources, want }) => {
    expect(create({ resources }).HostConfig.OomScoreAdj).toBe(want);
  });
});

describe("what a container may do", () => {
  const cases: {
    name: string;
    container?: Container["securityContext"];
    pod?: PodSpec["securityContext"];
    want: object;
  }[] = [
    { name: "drops", container: { capabilities: { drop: ["ALL"] } }, want: { HostConfig: { CapDrop: ["ALL"] } } },
    {
      name: "drops all, adds one",
      container: { capabilities: { drop: ["ALL"], add: ["net_admin", "CAP_SYS_PTRACE"] } },
      want: { HostConfig: { CapDrop: ["ALL"], CapAdd: ["CAP_NET_ADMIN", "CAP_SYS_PTRACE"] } },
    },
    {
      name: "drops by name",
      container: { capabilities: { drop: ["MKNOD"], add: ["MKNOD"] } },
      want: { HostConfig: { CapDrop: ["ALL"], CapAdd: ordinary.filter((name) => name !== "CAP_MKNOD") } },
    },
    {
      name: "adds all",
      container: { capabilities: { add: ["ALL"], drop: ["MKNOD"] } },
      want: { HostConfig: { CapAdd: ["ALL"], CapDrop: ["CAP_MKNOD"] } },
    },
    { name: "user", container: { runAsUser: 5 }, pod: { runAsUser: 6, runAsGroup: 7 }, want: { User: "5:7" } },
    { name: "user of the pod", pod: { runAsUser: 6 }, want: { User: "6" } },
    { name: "group alone", container: { runAsGroup: 7 }, want: { User: "0:7" } },
    { name: "groups", pod: { fsGroup: 1, supplementalGroups: [2] }, want: { HostConfig: { GroupAdd: ["2", "1"] } } },
    {
      name: "no more than it has",
      container: { allowPrivilegeEscalation: false, seccompProfile: { type: "Unconfined" } },
      want: { HostConfig: { SecurityOpt: ["no-new-privileges", "seccomp=unconfined"] } },
    },
    { name: "seccomp", pod: { seccompProfile: { type: "RuntimeDefault" } }, want: { HostConfig: {} } },
    { name: "read-only", container: { readOnlyRootFilesystem: true }, want: { HostConfig: { ReadonlyRootfs: true } } },
  ];
  test.each(cases)("$name", ({ container, pod, want }) => {
    const made = create({ ...(container && { securityContext: container }) }, { ...(pod && { securityContext: pod }) });
    const { HostConfig, ...rest } = want as { HostConfig?: object };
    expect(made).toMatchObject(rest);
    expect(made.HostConfig).toMatchObject(HostConfig ?? {});
    if (HostConfig && "CapDrop" in HostConfig && !("CapAdd" in HostConfig))
      expect(made.HostConfig.CapAdd).toBeUndefined();
  });

  const which = '(pod: "web_ctf(u-1)", container: c)';
  const refused = [
    { context: { runAsNonRoot: true }, want: `container has runAsNonRoot and image will run as root ${which}` },
    { context: { runAsNonRoot: true, runAsUser: 0 }, want: `container's runAsUser breaks non-root policy ${which}` },
    {
      context: { runAsNonRoot: true },
      user: "player:100",
      want: `container has runAsNonRoot and image has non-numeric user (player), cannot verify user is non-root ${which}`,
    },
    { context: { runAsNonRoot: true }, user: "0:100", want: "image will run as root" },
    { context: { seccompProfile: { type: "Localhost" } }, want: "this node has no seccomp profiles of its own" },
  ];
  test.each(refused)("$want", ({ context, user = "", want }) => {
    expect(() => create({ securityContext: context }, {}, makeImage({ user }))).toThrow(want);
  });
  test("a number that is not root's is let through, and so is the container's own word against the pod's", () => {
    expect(() => create({ securityContext: { runAsNonRoot: true } }, {}, makeImage({ user: "1000" }))).not.toThrow();
    const pod = { securityContext: { runAsNonRoot: true } };
    expect(() => create({ securityContext: { runAsNonRoot: false } }, pod)).not.toThrow();
  });
});

test("terminal, input, directory, runtime and host name are as asked for", () => {
  const container = { tty: true, stdin: true, stdinOnce: true, workingDir: "/srv" };
  const made = create(container, { hostname: "hosty" }, makeImage(), { namesHost: true, runtime: "runsc" });
  expect(made).toMatchObject({ Tty: true, OpenStdin: true, StdinOnce: true, WorkingDir: "/srv", Hostname: "hosty" });
  expect(made.HostConfig.Runtime).toBe("runsc");
});

test("the pause container holds network, IPC and name, and can do nothing", () => {
  const pod = makePod(
    {},
    { hostname: "hosty", securityContext: { sysctls: [{ name: "net.core.somaxconn", value: "9" }] } },
  );
  const made = pauseCreate({ pod, node: "laptop", attempt: 1, image: "pause", network: "ctf", address: "10.0.0.9" });
  expect(made).toMatchObject({
    Image: "pause",
    Hostname: "hosty",
    HostConfig: {
      NetworkMode: "ctf",
      IpcMode: "shareable",
      PidsLimit: 16,
      Memory: 64 * 1024 ** 2,
      MemorySwap: 64 * 1024 ** 2,
      CapDrop: ["ALL"],
      ReadonlyRootfs: true,
      Sysctls: { "net.core.somaxconn": "9" },
    },
    NetworkingConfig: { EndpointsConfig: { ctf: { IPAMConfig: { IPv4Address: "10.0.0.9" } } } },
  });
  expect(pauseCreate({ pod, node: "n", attempt: 0, image: "i", network: "x" }).NetworkingConfig).toBeUndefined();
});

describe("labels", () => {
  test("are read back as they were made, and name the container", () => {
    const labels = makeLabels(makePod(), "laptop", { role: "container", container: "c", attempt: 3, sandbox: "p" });
    const identity = readLabels(labels);
    expect(identity).toEqual({
      node: "laptop",
      namespace: "ctf",
      pod: "web",
      uid: "u-1",
      role: "container",
      container: "c",
      attempt: 3,
      sandbox: "p",
    });
    expect(identity && engineName(identity)).toBe("berg_web_ctf_u-1_c_3");
  });
  const good = makeLabels(makePod(), "laptop", { role: "pause", attempt: 0 });
  const bad = [
    {},
    { ...good, "berg.local/role": "x" },
    { ...good, "berg.local/attempt": "x" },
    { ...good, "berg.local/pod-uid": "" },
  ];
  test.each(bad)("of others are not ours: %j", (labels) => {
    expect(readLabels(labels)).toBeUndefined();
  });
});
