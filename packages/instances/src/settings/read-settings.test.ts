import { parseDuration } from "@berg/apimachinery";
import { ConfigurationError } from "@berg/kube";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultCapabilities } from "./capabilities.ts";
import { readSettings } from "./read-settings.ts";
import type { Settings } from "./settings.ts";
import { SettingsError } from "./settings-error.ts";
import { settingsReference } from "./variables.ts";

function mistakesIn(env: Record<string, string>): readonly string[] {
  try {
    readSettings(env);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.mistakes;
    throw error;
  }
}

const hours = (count: number) => parseDuration(`${count}h`);

test("without a word from the organiser, the defaults hold", () => {
  const { architecture, ...build } = readSettings({}).build;
  expect(["x86-64", "aarch64"]).toContain(architecture);
  const { denyCidrs, ...network } = build.network;
  expect({ ...readSettings({}), build: { ...build, network } }).toEqual({
    challengeNamespace: "berg",
    expiry: { timeout: hours(2), maxRenewals: 3, warning: parseDuration("10m") },
    maxInstances: 0,
    capabilities: defaultCapabilities,
    build: {
      domain: "challenges.example.com",
      gateway: {
        name: "berg-gateway",
        namespace: "berg",
        httpListener: "http",
        tlsListener: "tls",
        httpPort: 80,
        httpTls: false,
        tlsPort: 443,
        peer: { from: "ingress" },
      },
      network: { policy: "cilium" },
      resources: {
        limits: { cpu: "1", memory: "512Mi", "ephemeral-storage": "1Gi" },
        requests: { cpu: "100m", memory: "128Mi", "ephemeral-storage": "64Mi" },
      },
      bandwidth: { egress: "10M", ingress: "10M" },
      imagePullPolicy: "IfNotPresent",
      runtimeClassName: "",
      pullSecretName: "",
      headlessService: false,
      flagStorage: "ConfigMap",
      disruption: "protect",
    },
  });
  expect(denyCidrs).toEqual(
    expect.arrayContaining([
      ...["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "169.254.0.0/16", "127.0.0.0/8"],
      ...["fc00::/7", "fe80::/10", "::/127"],
    ]),
  );
});

describe("each variable has its effect", () => {
  const at = (path: string) => (settings: Settings) =>
    path.split(".").reduce<unknown>((value, part) => (value as Record<string, unknown>)[part], settings);
  const traefik = { from: "pods", namespace: "traefik", matchLabels: { app: "traefik", tier: "edge" } };

  const cases: [name: string, value: string, path: string, want: unknown][] = [
    ["CHALLENGE_NAMESPACE", "ctf", "challengeNamespace", "ctf"],
    ["CHALLENGE_DOMAIN", "ctf.example.org", "build.domain", "ctf.example.org"],
    ["CHALLENGE_HTTP_PORT", "1337", "build.gateway.httpPort", 1337],
    ["CHALLENGE_HTTP_TLS", "true", "build.gateway.httpTls", true],
    ["CHALLENGE_TLS_PORT", "65535", "build.gateway.tlsPort", 65535],
    ["GATEWAY_NAME", "edge.v2", "build.gateway.name", "edge.v2"],
    ["GATEWAY_NAMESPACE", "edge", "build.gateway.namespace", "edge"],
    ["GATEWAY_PEER", "host", "build.gateway.peer", { from: "host" }],
    ["GATEWAY_PEER", "traefik/app=traefik,tier=edge", "build.gateway.peer", traefik],
    ["GATEWAY_PEER", "traefik/app=traefik, tier=edge", "build.gateway.peer", traefik],
    [
      "GATEWAY_PEER",
      "kube-system/app.kubernetes.io/name=envoy",
      "build.gateway.peer.matchLabels",
      { "app.kubernetes.io/name": "envoy" },
    ],
    ["CHALLENGE_HTTP_LISTENER_NAME", "web", "build.gateway.httpListener", "web"],
    ["CHALLENGE_TLS_LISTENER_NAME", "raw", "build.gateway.tlsListener", "raw"],
    ["CHALLENGE_INSTANCE_TIMEOUT", "1h30m", "expiry.timeout", parseDuration("90m")],
    ["CHALLENGE_INSTANCE_TIMEOUT", "none", "expiry.timeout", undefined],
    ["CHALLENGE_MAX_RENEWALS", "0", "expiry.maxRenewals", 0],
    ["CHALLENGE_EXPIRY_WARNING", "0", "expiry.warning", 0n],
    ["CHALLENGE_EXPIRY_WARNING", "90s", "expiry.warning", parseDuration("90s")],
    ["MAX_INSTANCES", "250", "maxInstances", 250],
    ["CHALLENGE_CAPABILITIES", "NET_RAW, SYS_ADMIN,NET_RAW", "capabilities", ["NET_RAW", "SYS_ADMIN"]],
    ["CHALLENGE_CPU_LIMIT", "1500m", "build.resources.limits.cpu", "1500m"],
    ["CHALLENGE_CPU_REQUEST", "0.5", "build.resources.requests.cpu", "500m"],
    ["CHALLENGE_CPU_REQUEST", "0", "build.resources.requests.cpu", "0"],
    ["CHALLENGE_MEMORY_LIMIT", "1024Mi", "build.resources.limits.memory", "1Gi"],
    ["CHALLENGE_MEMORY_REQUEST", "1M", "build.resources.requests.memory", "1M"],
    ["CHALLENGE_EPHEMERAL_STORAGE_LIMIT", "2Gi", "build.resources.limits.ephemeral-storage", "2Gi"],
    ["CHALLENGE_EPHEMERAL_STORAGE_REQUEST", "1Mi", "build.resources.requests.ephemeral-storage", "1Mi"],
    ["CHALLENGE_EGRESS_BANDWIDTH", "1G", "build.bandwidth.egress", "1G"],
    ["CHALLENGE_INGRESS_BANDWIDTH", "500k", "build.bandwidth.ingress", "500k"],
    ["CHALLENGE_IMAGE_PULL_POLICY", "Always", "build.imagePullPolicy", "Always"],
    ["CHALLENGE_RUNTIME_CLASS_NAME", "gvisor", "build.runtimeClassName", "gvisor"],
    ["PULL_SECRET_NAME", "registry", "build.pullSecretName", "registry"],
    ["CHALLENGE_ADDITIONAL_HEADLESS_SERVICE", "true", "build.headlessService", true],
    ["NETWORK_POLICY", "both", "build.network.policy", "both"],
    ["NETWORK_DENY_CIDRS", "10.0.0.0/8, FD00:0::/8,10.0.0.0/8", "build.network.denyCidrs", ["10.0.0.0/8", "fd00::/8"]],
    ["FLAG_STORAGE", "Secret", "build.flagStorage", "Secret"],
    ["CHALLENGE_ARCHITECTURE", "arm64", "build.architecture", "aarch64"],
    ["CHALLENGE_ARCHITECTURE", "amd64", "build.architecture", "x86-64"],
    ["CHALLENGE_DISRUPTION", "allow", "build.disruption", "allow"],
  ];

  test.for(cases)("%s=%s", ([name, value, path, want]) => {
    expect(at(path)(readSettings({ [name]: value }))).toEqual(want);
  });

  test("and every variable is among these", () => {
    const tried = new Set(cases.map(([name]) => name));
    expect(settingsReference().map(({ name }) => name)).toEqual(expect.arrayContaining([...tried]));
    expect(settingsReference().filter(({ name }) => !tried.has(name))).toEqual([]);
  });
});

describe("a mistake names the variable, its value and the fix", () => {
  const cases: [name: string, value: string, want: string][] = [
    ["CHALLENGE_HTTP_PORT", "eighty", '"eighty" is not a port (1-65535)'],
    ["CHALLENGE_HTTP_PORT", "0", '"0" is not a port (1-65535)'],
    ["CHALLENGE_TLS_PORT", "65536", '"65536" is not a port (1-65535)'],
    ["CHALLENGE_TLS_PORT", "4.5", '"4.5" is not a port (1-65535)'],
    ["CHALLENGE_CAPABILITIES", "CAP_SYS_ADMIN", '"CAP_SYS_ADMIN" has the prefix CAP_; write SYS_ADMIN'],
    ["CHALLENGE_CAPABILITIES", "NET_ADMINS", '"NET_ADMINS" is not a capability of Linux such as SYS_PTRACE'],
    ["CHALLENGE_CAPABILITIES", "NET_RAW,", '"" is not a capability of Linux'],
    ["CHALLENGE_NAMESPACE", "Berg", '"Berg" is not a DNS label: use 1-63 of a-z, 0-9 and "-"'],
    ["CHALLENGE_DOMAIN", "*.example.com", '"*.example.com" is not a domain: use parts of'],
    ["CHALLENGE_DOMAIN", "example.com.", "is not a domain"],
    ["CHALLENGE_DOMAIN", `${"a".repeat(64)}.com`, "is not a domain"],
    ["CHALLENGE_DOMAIN", Array(110).fill("a").join("."), "leaves no room for the names below it"],
    ["GATEWAY_NAME", "my gateway", '"my gateway" is not a DNS subdomain'],
    ["GATEWAY_NAMESPACE", "a.b", '"a.b" is not a DNS label'],
    ["CHALLENGE_HTTP_LISTENER_NAME", "HTTP", '"HTTP" is not a DNS subdomain'],
    ["GATEWAY_PEER", "traefik", "is none of ingress, host, or <namespace>/<labels> such as traefik/app=traefik"],
    ["GATEWAY_PEER", "traefik/", '"" is not a label such as app=traefik'],
    ["GATEWAY_PEER", "Traefik/app=x", '"Traefik" is not a DNS label'],
    ["GATEWAY_PEER", "traefik/app in (x)", '"app in (x)" is not a label such as app=traefik'],
    ["GATEWAY_PEER", "traefik/app==x", '"app==x" is not a label such as app=traefik'],
    ["GATEWAY_PEER", "traefik/app=a b", '"a b" is not a label value'],
    ["GATEWAY_PEER", "traefik/app=a,app=b", "names a label twice"],
    ["CHALLENGE_INSTANCE_TIMEOUT", "two hours", '"two hours" is not a time such as 90s, 30m or 1h30m'],
    ["CHALLENGE_INSTANCE_TIMEOUT", "-1h", '"-1h" is not a time such as'],
    ["CHALLENGE_INSTANCE_TIMEOUT", "0s", '"0s" leaves no time at all; write none for no limit'],
    ["CHALLENGE_INSTANCE_TIMEOUT", "99999h", '"99999h" is longer than ten years'],
    ["CHALLENGE_EXPIRY_WARNING", "10", '"10" is not a time such as'],
    ["CHALLENGE_MAX_RENEWALS", "-1", '"-1" is not a whole number from 0 to 1000000'],
    ["MAX_INSTANCES", "1e3", '"1e3" is not a whole number'],
    ["MAX_INSTANCES", "1000001", '"1000001" is not a whole number'],
    ["CHALLENGE_CPU_LIMIT", "lots", '"lots" is not an amount such as 100m, 2 or 128Mi'],
    ["CHALLENGE_MEMORY_REQUEST", "-1Mi", '"-1Mi" is not an amount'],
    ["CHALLENGE_EPHEMERAL_STORAGE_LIMIT", "0", '"0" is no limit at all on a node; set one above 0'],
    ["CHALLENGE_EGRESS_BANDWIDTH", "10Mbit", '"10Mbit" is not an amount of bits per second; write one such as 10M'],
    ["CHALLENGE_INGRESS_BANDWIDTH", "10", '"10" is less than 1k bits per second; write more, such as 10M'],
    ["CHALLENGE_INGRESS_BANDWIDTH", "2P", '"2P" is more than 1P bits per second; write less, such as 1G'],
    ["CHALLENGE_IMAGE_PULL_POLICY", "always", '"always" is none of Always, IfNotPresent, Never'],
    ["CHALLENGE_RUNTIME_CLASS_NAME", "gVisor", '"gVisor" is not a DNS subdomain'],
    ["PULL_SECRET_NAME", "a/b", '"a/b" is not a DNS subdomain'],
    ["CHALLENGE_ADDITIONAL_HEADLESS_SERVICE", "yes", '"yes" is none of true, false'],
    ["NETWORK_POLICY", "calico", '"calico" is none of cilium, kubernetes, both, none'],
    ["NETWORK_DENY_CIDRS", "10.0.0.1/8", '"10.0.0.1/8" is an address in a range; write the range, 10.0.0.0/8'],
    ["FLAG_STORAGE", "secret", '"secret" is none of ConfigMap, Secret'],
    ["CHALLENGE_ARCHITECTURE", "x86_64", '"x86_64" is none of amd64, arm64'],
    ["CHALLENGE_DISRUPTION", "no", '"no" is none of protect, allow'],
  ];

  test.for(cases)("%s=%s", ([name, value, want]) => {
    expect(mistakesIn({ [name]: value })).toEqual([expect.stringContaining(`cannot read ${name}: `)]);
    expect(mistakesIn({ [name]: value })[0]).toContain(want);
  });
});

test("all mistakes are told at once, also those between variables", () => {
  const env = {
    CHALLENGE_HTTP_PORT: "eighty",
    CHALLENGE_CPU_LIMIT: "50m",
    CHALLENGE_MEMORY_REQUEST: "1Gi",
    CHALLENGE_EPHEMERAL_STORAGE_LIMIT: "x",
    GATWAY_NAME: "edge",
  };
  expect(() => readSettings(env)).toThrow(
    [
      'cannot read CHALLENGE_HTTP_PORT: "eighty" is not a port (1-65535)',
      'cannot read CHALLENGE_EPHEMERAL_STORAGE_LIMIT: "x" is not an amount such as 100m, 2 or 128Mi',
      "there is no setting GATWAY_NAME; did you mean GATEWAY_NAME?",
      "cannot use CHALLENGE_CPU_REQUEST: 100m is more than CHALLENGE_CPU_LIMIT, 50m; lower the one or raise the other",
      "cannot use CHALLENGE_MEMORY_REQUEST: 1Gi is more than CHALLENGE_MEMORY_LIMIT, 512Mi; lower the one or raise the other",
    ].join("\n"),
  );
});

test.each(["flag-content", "flag-executable"])("a pull secret called %s is no Secret with a flag", (name) => {
  const env = { PULL_SECRET_NAME: name, FLAG_STORAGE: "Secret" };
  expect(() => readSettings(env)).toThrow(
    `cannot use PULL_SECRET_NAME: with FLAG_STORAGE=Secret, ${name} is what holds the flag; give the pull secret another name`,
  );
  expect(readSettings({ PULL_SECRET_NAME: name }).build.pullSecretName).toBe(name);
  expect(readSettings({ ...env, PULL_SECRET_NAME: "registry" }).build.pullSecretName).toBe("registry");
});

test("an empty variable is a missing one", () => {
  const empty = Object.fromEntries(settingsReference().map(({ name }) => [name, " "]));
  expect(readSettings(empty)).toEqual(readSettings({}));
});

test("what Kubernetes writes for a Service is no setting", () => {
  expect(readSettings({ CHALLENGE_HTTP_PORT: "tcp://10.96.0.7:80", GATEWAY_PORT_80_TCP: "x" })).toEqual(
    readSettings({}),
  );
});

test("a mistake ends a process as one in its configuration", () => {
  expect(() => readSettings({ MAX_INSTANCES: "x" })).toThrow(ConfigurationError);
});

test("what the reference calls the default is the default", () => {
  const written = Object.fromEntries(settingsReference().map((variable) => [variable.name, variable.default]));
  expect(readSettings(written)).toEqual(readSettings({}));
});

test("what is built with can be recorded as JSON", () => {
  const { build } = readSettings({});
  expect(JSON.parse(JSON.stringify(build))).toEqual(build);
});

test("any environment gives settings or a list of mistakes", () => {
  const name = fc.constantFrom(...settingsReference().map((variable) => variable.name), "PATH", "CHALLENGE_X");
  fc.assert(
    fc.property(fc.dictionary(name, fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.ipV6())), (env) => {
      expect(Array.isArray(mistakesIn(env))).toBe(true);
    }),
  );
});
