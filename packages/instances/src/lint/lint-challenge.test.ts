import type { Stored } from "@berg/apimachinery";
import { type Challenge, readStoredChallenge } from "@berg/resources";
import { describe, expect, test } from "vitest";
import { instanceProblems } from "./instance-problems.ts";
import { type LintSettings, lintChallenge } from "./lint-challenge.ts";
import { formatProblem } from "./problem.ts";

type Fields = Record<string, unknown>;

const goodPort = { name: "web", port: 80, type: "publicHttpRoute" };
const goodContainer = {
  hostname: "web",
  image: "registry.example.com/web:1.2",
  ports: [goodPort],
  readinessProbe: { httpGet: { path: "/", port: 80 } },
};

const challenge = (spec: Fields = {}, metadata: Fields = {}) => ({
  apiVersion: "berg.norelect.ch/v1",
  kind: "Challenge",
  metadata: { name: "web", ...metadata },
  spec: { flag: "flag{relentless}", containers: [goodContainer], ...spec },
});
const withContainer = (fields: Fields) => challenge({ containers: [{ ...goodContainer, ...fields }] });
const withPort = (fields: Fields) => withContainer({ ports: [{ ...goodPort, ...fields }] });
const withContent = (fields: Fields) => withContainer({ dynamicFlag: { content: { path: "/flag", ...fields } } });
const withProgram = (fields: Fields) => withContainer({ dynamicFlag: { executable: { path: "/flag", ...fields } } });
const withReadiness = (readinessProbe: Fields) => withContainer({ readinessProbe });
const withLiveness = (livenessProbe: Fields) => withContainer({ livenessProbe });
const withLimits = (resourceLimits: Fields) => withContainer({ resourceLimits });

const told = (manifest: unknown, settings?: LintSettings) =>
  lintChallenge(manifest, settings).map((problem) => `${problem.severity}: ${formatProblem(problem)}`);

const first = "spec.containers[0]";

interface Case {
  given: unknown;
  settings?: LintSettings;
  want: string[];
}

function tell(cases: Record<string, Case>) {
  test.for(Object.entries(cases))("%s", ([, { given, settings, want }]) => {
    expect(told(given, settings)).toEqual(want);
  });
}

test("a good Challenge has no problem", () => {
  expect(told(challenge())).toEqual([]);
  expect(told(challenge({ containers: [], attachments: [{ fileName: "crackme" }] }))).toEqual([]);
});

describe("schema", () => {
  tell({
    "what the API server refuses comes in its words, with the fix where they have none": {
      given: challenge({ containers: [{ hostname: "Web", ports: [{ prot: 80 }] }], timeout: "1d" }),
      want: [
        'error: spec.timeout: Invalid value: "1d": must be hours, minutes and seconds in this order, such as 2h, 30m or 1h30m',
        "error: spec.containers[0].hostname: Invalid value: \"Web\": must be lower-case letters, digits and '-', starting with a letter and not ending with '-'",
        "error: spec.containers[0].image: Required value; set it",
        "warning: spec.containers[0].ports[0].prot: there is no such field, so it is ignored; remove it, or correct its name",
      ],
    },
    "fields that only another platform knows, beside a mistake that the schema does not know": {
      given: challenge({ points: 500, containers: [{ ...goodContainer, command: ["sh"], image: "We:b" }] }),
      want: [
        "warning: spec.containers[0].command: there is no such field, so it is ignored; remove it, or correct its name",
        "warning: spec.points: there is no such field, so it is ignored; remove it, or correct its name",
        expect.stringMatching(/^error: spec\.containers\[0\]\.image: /),
      ],
    },
    "two containers with one hostname": {
      given: challenge({ containers: [goodContainer, goodContainer] }),
      want: ['error: spec.containers[1]: Duplicate value: {"hostname":"web"}; remove one, or make them differ'],
    },
    "a mode that is too large, as 644 is in decimal": {
      given: withContent({ mode: 644 }),
      want: [
        `error: ${first}.dynamicFlag.content.mode: Invalid value: 644: must be 511 or less; write octal digits in quotes, such as "0444"`,
      ],
    },
    "an amount that is none": {
      given: withLimits({ memory: "64MB" }),
      want: [
        `error: ${first}.resourceLimits.memory: Invalid value: "64MB": must be an amount such as 250m, 0.5, 64Mi or 1G`,
      ],
    },
    "a path that goes up": {
      given: withContent({ path: "/home/../flag" }),
      want: [
        `error: ${first}.dynamicFlag.content.path: cannot put the flag at "/home/../flag": it has a part "." or ".."; write the path without them`,
      ],
    },
    "no object at all": { given: "text", want: ["error: Invalid value: must be an object"] },
  });
});

describe("names", () => {
  const long = "a".repeat(64);
  const publicPort = { port: 1, type: "publicPort" };
  const web = { ...goodContainer, ports: [goodPort, publicPort] };
  const other = (hostname: string) => ({ ...goodContainer, hostname, ports: [{ port: 80 }] });
  tell({
    "the longest name that can be referred to": { given: challenge({}, { name: long }), want: [] },
    "a name that no instance can refer to": {
      given: challenge({}, { name: `${long}b` }),
      want: [
        "error: metadata.name: the name has 65 characters, and no ChallengeInstance can refer to more than 64; shorten it",
      ],
    },
    "a hostname that is the name of a NodePort Service": {
      given: challenge({ containers: [web, other("web-node-port")] }),
      want: [
        'error: spec.containers[1].hostname: "web-node-port" is also the name of a Service that the container "web" gets; choose another hostname',
      ],
    },
    "the same hostname, where there is no NodePort Service": {
      given: challenge({ containers: [goodContainer, other("web-node-port")] }),
      want: [],
    },
    "a hostname that may be the name of a headless Service": {
      given: challenge({ containers: [goodContainer, other("web-headless")] }),
      want: [
        'warning: spec.containers[1].hostname: "web-headless" is also the name of a Service that the container "web" gets; choose another hostname',
      ],
    },
    "a hostname that is the name of a headless Service": {
      given: challenge({ containers: [goodContainer, other("web-headless")] }),
      settings: { headlessService: true },
      want: [
        'error: spec.containers[1].hostname: "web-headless" is also the name of a Service that the container "web" gets; choose another hostname',
      ],
    },
    "the same hostname, where there are no headless Services": {
      given: challenge({ containers: [goodContainer, other("web-headless")] }),
      settings: { headlessService: false },
      want: [],
    },
    "a hostname that leaves no room for -headless": {
      given: withContainer({ hostname: "a".repeat(55) }),
      want: [
        `warning: ${first}.hostname: "${"a".repeat(55)}-headless" is too long for a Service: where there are headless ones, this one has another name; shorten the hostname to 54 characters`,
      ],
    },
    "the same, where there are no headless Services": {
      given: withContainer({ hostname: "a".repeat(63), ports: [goodPort, publicPort] }),
      settings: { headlessService: false },
      want: [],
    },
    "a RuntimeClass that cannot exist": {
      given: withContainer({ runtimeClassName: "gVisor" }),
      want: [
        `error: ${first}.runtimeClassName: "gVisor" is not a DNS subdomain: use at most 253 of a-z, 0-9, "-" and ".", each part between dots starting and ending with a letter or digit`,
      ],
    },
    "no RuntimeClass": { given: withContainer({ runtimeClassName: "" }), want: [] },
  });
});

describe("ports", () => {
  const named = (name: string, port: number, type = "internalPort") => ({ name, port, type });
  tell({
    "a name of 15 characters": { given: withPort({ name: "a".repeat(15) }), want: [] },
    "a name of 16 characters": {
      given: withPort({ name: "administration-1" }),
      want: [
        `warning: ${first}.ports[0].name: "administration-1" has more than 15 characters, which Kubernetes does not take as the name of a container's port; it is left out of the pod, and other versions of Berg refuse it; shorten it`,
      ],
    },
    "a name without letters and digits": {
      given: withPort({ name: "é" }),
      want: [
        `warning: ${first}.ports[0].name: "é" has no letter or digit, so that its environment variable is called __ENDPOINT; use letters and digits`,
      ],
    },
    "one name twice in a container": {
      given: withContainer({ ports: [goodPort, named("web", 81)] }),
      want: [
        `warning: ${first}.ports[1].name: WEB_ENDPOINT is also the environment variable of containers[0].ports[0], and only this one is in it; choose another name for one of the two`,
      ],
    },
    "two names with one variable, in two containers": {
      given: challenge({
        containers: [
          { ...goodContainer, ports: [{ ...goodPort, name: "web-admin" }] },
          { ...goodContainer, hostname: "admin", ports: [named("Web.Admin", 81)] },
        ],
      }),
      want: [
        "warning: spec.containers[1].ports[0].name: WEB_ADMIN_ENDPOINT is also the environment variable of containers[0].ports[0], and only this one is in it; choose another name for one of the two",
      ],
    },
    "one number and protocol in two spellings": {
      given: withContainer({
        ports: [
          { ...goodPort, protocol: "tcp" },
          { port: 80, protocol: "TCP" },
        ],
      }),
      want: [`warning: ${first}.ports[1]: port 80/TCP is already at containers[0].ports[0]; remove one of the two`],
    },
    "one number, TCP and UDP": { given: withContainer({ ports: [goodPort, { port: 80, protocol: "udp" }] }), want: [] },
    "an HTTP route over UDP": {
      given: withPort({ protocol: "UDP" }),
      want: [`error: ${first}.ports[0].type: publicHttpRoute carries TCP only, and the port is UDP; use publicPort`],
    },
    "a TLS route over UDP": {
      given: withPort({ protocol: "udp", type: "publicTlsRoute" }),
      want: [`error: ${first}.ports[0].type: publicTlsRoute carries TCP only, and the port is UDP; use publicPort`],
    },
    "nothing that players can reach": {
      given: withPort({ type: "internalPort" }),
      want: [
        "warning: spec.containers: no port of any container can be reached by players; give one port the type publicHttpRoute, publicTlsRoute or publicPort",
      ],
    },
  });
});

describe("images", () => {
  const digest = `sha256:${"0a".repeat(32)}`;
  const good = [
    "web:1.2",
    "ctf/web_server:v1",
    "a__b/c---d:1",
    "localhost/web:1",
    "localhost:5000/web:1",
    "registry.example.com:5000/ctf/web:1.2",
    "[fd00::1]:5000/web:1",
    `web@${digest}`,
    `registry.example.com/web:latest@${digest}`,
  ];
  test.for(good)("%s", (image) => {
    expect(told(withContainer({ image }))).toEqual([]);
  });

  test.for([
    ["ctf/Web:1", '"Web" has capital letters'],
    ["WEB", '"WEB" has capital letters'],
    ["web:", '"" is not a tag'],
    ["web:1:2", '"1:2" is not a tag'],
    [`web:${"1".repeat(129)}`, "is not a tag"],
    ["web@sha256:12", '"sha256:12" is not a digest'],
    [`web@${digest.toUpperCase()}`, "is not a digest"],
    ["https://example.com/web:1", '"https:" is not a registry'],
    ["registry.example.com//web:1", "a part of it is empty"],
    ["/web:1", "a part of it is empty"],
    ["web-:1", '"web-" is not a part of a path'],
    ["-.com/web:1", '"-.com" is not a registry'],
    [`${"a/".repeat(128)}a:1`, "it has more than 255 characters"],
  ] as const)("%s is not the name of one", ([image, want]) => {
    expect(told(withContainer({ image }))).toEqual([
      expect.stringMatching(
        /^error: spec\.containers\[0\]\.image: ".*" is not the name of an image: .*; write one such/,
      ),
    ]);
    expect(told(withContainer({ image })).join()).toContain(want);
  });

  test.for(["web", "web:latest", "registry.example.com:5000/web"])("%s is no version", (image) => {
    expect(told(withContainer({ image }))).toEqual([
      `warning: ${first}.image: "${image}" is another image with every release, so that two instances can differ; name a version, such as :1.2`,
    ]);
  });
});

describe("resources", () => {
  tell({
    "amounts as numbers": { given: withLimits({ cpu: 2, memory: 1073741824 }), want: [] },
    "a request of nothing": { given: withContainer({ resourceRequests: { cpu: 0, memory: "0" } }), want: [] },
    "an amount beyond reading": {
      given: withLimits({ cpu: "1e9999" }),
      want: [`error: ${first}.resourceLimits.cpu: "1e9999" is not an amount; write one such as 250m, 2 or 64Mi`],
    },
    "an amount that nobody has": {
      given: withContainer({ resourceRequests: { memory: "2P" } }),
      want: [`error: ${first}.resourceRequests.memory: "2P" is more than any node has; write less`],
    },
    "cores in thousandths without the m": {
      given: withLimits({ cpu: 500 }),
      want: [
        `warning: ${first}.resourceLimits.cpu: "500" is a number of whole cores; write 500m for thousandths of one`,
      ],
    },
    "a limit of nothing": {
      given: withLimits({ cpu: "0", memory: 0 }),
      want: [
        `error: ${first}.resourceLimits.cpu: 0 is no limit at all on a node; write more, or leave it out`,
        `error: ${first}.resourceLimits.memory: 0 is no limit at all on a node; write more, or leave it out`,
      ],
    },
    "memory without a unit": {
      given: withLimits({ memory: 64, "ephemeral-storage": "500m" }),
      want: [
        `error: ${first}.resourceLimits.memory: "64" is a number of bytes that no container can start with; add a unit, such as 64Mi`,
        `error: ${first}.resourceLimits.ephemeral-storage: "500m" is a number of bytes that no container can start with; add a unit, such as 64Mi`,
      ],
    },
    "a request above its limit": {
      given: withContainer({ resourceRequests: { cpu: "1500m" }, resourceLimits: { cpu: 1, memory: "64Mi" } }),
      want: [`error: ${first}.resourceRequests.cpu: 1500m is more than the limit, 1; lower the one or raise the other`],
    },
    "a bandwidth that no pod can have": {
      given: withContainer({ egressBandwidth: "10", ingressBandwidth: "2P" }),
      want: [
        `error: ${first}.egressBandwidth: "10" is less than 1k bits per second; write more, such as 10M`,
        `error: ${first}.ingressBandwidth: "2P" is more than 1P bits per second; write less, such as 1G`,
      ],
    },
    "no bandwidth": { given: withContainer({ egressBandwidth: "" }), want: [] },
    "a timeout that leaves no time": {
      given: challenge({ timeout: "0s" }),
      want: [
        'error: spec.timeout: cannot use spec.timeout of the Challenge: "0s" leaves no time at all; write a time such as 30m or 2h, or leave it out',
      ],
    },
    "a timeout that nobody means": {
      given: challenge({ timeout: "99999999h" }),
      want: [expect.stringContaining("error: spec.timeout: ")],
    },
    "an empty timeout": { given: challenge({ timeout: "" }), want: [] },
  });
});

describe("flags", () => {
  const mode = (kind: string, text: string) => [`${text.replace("mode:", `${first}.dynamicFlag.${kind}.mode:`)}`];
  tell({
    "modes in every spelling": {
      given: challenge({
        containers: ["0444", "444", "0o400", 292, 256, 365, 420, 511, undefined].map((mode, index) => ({
          ...goodContainer,
          hostname: `c${index}`,
          ports: [{ port: 1, type: "publicPort" }],
          dynamicFlag: { content: { path: "/f", ...(mode !== undefined && { mode }) } },
        })),
      }),
      want: [],
    },
    "444 as a number": {
      given: withContent({ mode: 444 }),
      want: mode(
        "content",
        'warning: mode: 444 is a decimal number and means mode 0674; write "0444" in quotes if that is what is meant',
      ),
    },
    "400 as a number": {
      given: withContent({ mode: 400 }),
      want: mode(
        "content",
        'warning: mode: 400 is a decimal number and means mode 0620; write "0400" in quotes if that is what is meant',
      ),
    },
    "content that nobody can read": {
      given: withContent({ mode: "0111" }),
      want: mode(
        "content",
        'warning: mode: with mode 0111 nobody but root can read the flag; write one such as "0444"',
      ),
    },
    "a program that nobody can run": {
      given: withProgram({ mode: "0600" }),
      want: mode("executable", 'error: mode: with mode 0600 nobody can run the file; write one such as "0111"'),
    },
    "a program that gives the flag away": {
      given: withProgram({ mode: "0555" }),
      want: mode(
        "executable",
        'warning: mode: with mode 0555 the flag can be read out of the file without running it; write one such as "0111"',
      ),
    },
    "a program that only runs": { given: withProgram({ mode: "0111" }), want: [] },
    "a path in the kernel's own directories": {
      given: withProgram({ path: "/proc/self/flag" }),
      want: [
        `error: ${first}.dynamicFlag.executable.path: cannot put the flag at "/proc/self/flag": nothing can be put there; choose another directory`,
      ],
    },
    "a program that root can read, by a capability": {
      given: withContainer({
        dynamicFlag: { executable: { path: "/flag" } },
        additionalCapabilities: ["CHOWN", "DAC_OVERRIDE"],
      }),
      want: [
        `warning: ${first}.additionalCapabilities[1]: with DAC_OVERRIDE root in the container reads the flag out of the executable without running it; remove it, or hand over the flag another way`,
      ],
    },
    "a flag of its own for each instance, made of nothing": {
      given: { ...withContent({}), spec: { ...withContent({}).spec, flag: null } },
      want: [
        "warning: spec.flag: there is no flag from which that of an instance is made, and containers[0] gets one; set it",
      ],
    },
    "leetify without a letter to change": {
      given: { ...withContent({}), spec: { ...withContent({}).spec, dynamicFlagMode: "leetify", flag: "flag{_42_}" } },
      want: [
        "warning: spec.flag: between its braces is no letter that leetify changes, so that every instance has the same flag; add letters, or set dynamicFlagMode to suffix",
      ],
    },
    "leetify with letters for too few flags": {
      given: {
        ...withContent({}),
        spec: { ...withContent({}).spec, dynamicFlagMode: "leetify", flag: "flag{cookies}" },
      },
      want: [
        'warning: spec.flag: leetify makes only 32 flags of it, so that players can guess those of others: it needs 20 letters of "aegilorst" between its braces and has 5; add letters, or set dynamicFlagMode to suffix',
      ],
    },
    "leetify with letters for enough flags": {
      given: {
        ...withContent({}),
        spec: { ...withContent({}).spec, dynamicFlagMode: "leetify", flag: "flag{a-LITTLE-more-is-a-lot-to-guess}" },
      },
      want: [],
    },
    "leetify without a flag of its own for each instance": {
      given: challenge({ dynamicFlagMode: "leetify", flag: "flag{_42_}" }),
      want: [],
    },
  });
});

describe("capabilities", () => {
  const withCapability = (name: string) => withContainer({ additionalCapabilities: [name] });
  const path = `${first}.additionalCapabilities[0]`;
  tell({
    "one that every pod may have": { given: withCapability("SYS_CHROOT"), want: [] },
    "one that needs privileged": {
      given: withCapability("NET_ADMIN"),
      want: [
        `warning: ${path}: NET_ADMIN is more than ordinary pods may have, so that the namespace of every instance is "privileged"; remove it where the challenge works without it`,
      ],
    },
    "one that makes players root on the node": {
      given: withCapability("DAC_READ_SEARCH"),
      want: [
        `error: ${path}: the capability DAC_READ_SEARCH is not allowed: it reaches beyond the pod, and may make players root on the node; remove it; who accepts that risk allows it in CHALLENGE_CAPABILITIES of the controller and deploy/admission-policy-contents.yaml, or with --allow-capabilities of berg up, dev and lint`,
      ],
    },
    "all of them": {
      given: withCapability("ALL"),
      want: [expect.stringContaining(`error: ${path}: the capability ALL is not allowed`)],
    },
    "one that the organiser allows": {
      given: withCapability("DAC_READ_SEARCH"),
      settings: { capabilities: ["DAC_READ_SEARCH"] },
      want: [expect.stringContaining(`warning: ${path}: DAC_READ_SEARCH is more than ordinary pods may have`)],
    },
    "any, where the organiser allows all": {
      given: withCapability("SYS_MODULE"),
      settings: { capabilities: ["ALL"] },
      want: [expect.stringContaining("warning: ")],
    },
    "an ordinary one that the organiser does not allow": {
      given: withCapability("MKNOD"),
      settings: { capabilities: ["CHOWN"] },
      want: [expect.stringContaining(`error: ${path}: the capability MKNOD is not allowed`)],
    },
    "the prefix CAP_": {
      given: withCapability("CAP_NET_ADMIN"),
      want: [`error: ${path}: "CAP_NET_ADMIN" has the prefix CAP_; write NET_ADMIN`],
    },
    "one that Linux does not have": {
      given: withCapability("NET_ADMINS"),
      want: [`error: ${path}: Linux has no capability "NET_ADMINS"; correct it, or remove it`],
    },
  });
});

describe("environment", () => {
  const withEnvironment = (environment: Fields, more: Fields = {}) => withContainer({ environment, ...more });
  const path = `${first}.environment`;
  tell({
    "values of every kind": { given: withEnvironment({ A: "$x", B: 1, C: true, D: null, "e.f-g": "" }), want: [] },
    "a name that Kubernetes does not take": {
      given: withEnvironment({ "A=B": "x", ä: "x", "": "x" }),
      want: [
        `error: ${path}.A=B: "A=B" is not the name of an environment variable; use letters, digits and _`,
        `error: ${path}.ä: "ä" is not the name of an environment variable; use letters, digits and _`,
        `error: ${path}.: "" is not the name of an environment variable; use letters, digits and _`,
      ],
    },
    "a name that older Kubernetes does not take": {
      given: withEnvironment({ "2FA": "x" }),
      want: [
        `warning: ${path}.2FA: no shell can read a variable called "2FA", and Kubernetes before 1.32 refuses it; use letters, digits and _, not a digit first`,
      ],
    },
    "names that Berg sets": {
      given: withEnvironment(
        { CHALLENGE_NAMESPACE: "x", WEB_ENDPOINT: "x", FLAG: "x" },
        { dynamicFlag: { env: { name: "FLAG" } } },
      ),
      want: [
        `warning: ${path}.CHALLENGE_NAMESPACE: Berg puts the namespace of the instance there; choose another name`,
        `warning: ${path}.WEB_ENDPOINT: Berg puts the address of a port there; choose another name`,
        `warning: ${path}.FLAG: Berg puts the flag there; choose another name`,
      ],
    },
    "a flag under a name that Berg uses": {
      given: withContainer({ dynamicFlag: { env: { name: "WEB_ENDPOINT" } } }),
      want: [`warning: ${first}.dynamicFlag.env.name: WEB_ENDPOINT has another use too; choose another name`],
    },
    "a value with NUL": {
      given: withEnvironment({ A: "secret\0" }),
      want: [`error: ${path}.A: the value contains the NUL character; remove it`],
    },
    "a value with which no program starts": {
      given: withEnvironment({ A: "€".repeat(43_690), B: "€".repeat(43_689) }),
      want: [
        `error: ${path}.A: the value has 131070 bytes, and no program starts with more than 131072 in one variable; put it into the image`,
      ],
    },
    "more than an object can hold": {
      given: withEnvironment(Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`A${i}`, "$".repeat(60_000)]))),
      want: [
        `error: ${path}: all variables have 1080018 bytes together, and Kubernetes stores no more than 1048576; put some of it into the image`,
      ],
    },
  });

  test("no problem tells a value", () => {
    const secret = "do-not-tell\0";
    const problems = told(withEnvironment({ "A=": secret, CHALLENGE_NAMESPACE: secret, B: secret.repeat(4) }));
    expect(problems).toHaveLength(5);
    expect(problems.join()).not.toContain("do-not-tell");
  });
});

describe("probes", () => {
  const ready = `${first}.readinessProbe`;
  const alive = `${first}.livenessProbe`;
  tell({
    "one of each kind": {
      given: challenge({
        containers: [
          { exec: { command: ["true"] } },
          { tcpSocket: { port: "web", host: "" }, periodSeconds: 1, initialDelaySeconds: 0 },
          { grpc: { port: 80, service: "x" }, exec: null },
          { httpGet: { port: 8080, scheme: "HTTPS", httpHeaders: [{ name: "X-A", value: "" }] } },
        ].map((readinessProbe, i) => ({
          ...goodContainer,
          hostname: `c${i}`,
          ports: [{ ...goodPort, ...(i !== 1 && { name: "" }) }],
          readinessProbe,
        })),
      }),
      want: [],
    },
    "none, where there is a port": {
      given: withContainer({ readinessProbe: null }),
      want: [
        `warning: ${first}: there is no readinessProbe, so that players are sent to a program that may not listen yet; add one, such as readinessProbe: { tcpSocket: { port: 80 } }`,
      ],
    },
    "none, where there is no port": {
      given: challenge({ containers: [goodContainer, { hostname: "worker", image: "worker:1" }] }),
      want: [],
    },
    "nothing to try": {
      given: withReadiness({ periodSeconds: 5 }),
      want: [`error: ${ready}: it says nothing to try; set one of exec, httpGet, tcpSocket, grpc`],
    },
    "two things to try": {
      given: withLiveness({ exec: { command: ["true"] }, tcpSocket: { port: 80 } }),
      want: [`error: ${alive}.tcpSocket: exec is set too, and a probe tries one thing; remove one of them`],
    },
    "a field that Kubernetes ignores": {
      given: withReadiness({ tcpSocket: { port: 80, path: "/" }, intervalSeconds: 5 }),
      want: [
        expect.stringContaining(
          `warning: ${ready}.intervalSeconds: Kubernetes knows no "intervalSeconds" here and ignores it; use one of initialDelaySeconds, `,
        ),
        `warning: ${ready}.tcpSocket.path: Kubernetes knows no "path" here and ignores it; use one of port, host, or remove it`,
      ],
    },
    "a time below zero, in halves or in words": {
      given: withReadiness({ tcpSocket: { port: 80 }, periodSeconds: -1, timeoutSeconds: 0.5, failureThreshold: "3" }),
      want: ["periodSeconds", "timeoutSeconds", "failureThreshold"].map(
        (field) => `error: ${ready}.${field}: it is not a whole number from 0; correct it, or remove it`,
      ),
    },
    "what only a livenessProbe can have": {
      given: withReadiness({ tcpSocket: { port: 80 }, terminationGracePeriodSeconds: 5 }),
      want: [
        `error: ${ready}.terminationGracePeriodSeconds: only a livenessProbe can have it, as only that one ends a container; remove it`,
      ],
    },
    "what only a readinessProbe can have": {
      given: withLiveness({ tcpSocket: { port: 80 }, successThreshold: 2 }),
      want: [`error: ${alive}.successThreshold: 2 is not 1; write 1, or remove it`],
    },
    "a port in quotes": {
      given: withReadiness({ httpGet: { port: "80" } }),
      want: [`error: ${ready}.httpGet.port: "80" is the name of a port, not its number; write 80 without quotes`],
    },
    "a port by a name that no port has": {
      given: withReadiness({ httpGet: { port: "http" } }),
      want: [`error: ${ready}.httpGet.port: no port of this container is called "http"; use one of "web", or a number`],
    },
    "a port that does not exist": {
      given: withReadiness({ grpc: { port: 70_000 } }),
      want: [`error: ${ready}.grpc.port: 70000 is not a port (1-65535)`],
    },
    "no port": {
      given: withReadiness({ tcpSocket: {} }),
      want: [`error: ${ready}.tcpSocket.port: there is no port; set it`],
    },
    "something else for a port": {
      given: withReadiness({ tcpSocket: { port: [80] } }),
      want: [`error: ${ready}.tcpSocket.port: it is not a port; correct it, or remove it`],
    },
    "a host of its own": {
      given: withReadiness({ httpGet: { port: 80, host: "127.0.0.1" } }),
      want: [
        `error: ${ready}.httpGet.host: a probe asks its own container, and no other host such as "127.0.0.1"; remove it`,
      ],
    },
    "a scheme in lower case": {
      given: withReadiness({ httpGet: { port: 80, scheme: "https" } }),
      want: [`error: ${ready}.httpGet.scheme: "https" is not a scheme; write HTTP or HTTPS`],
    },
    "headers as a map": {
      given: withReadiness({ httpGet: { port: 80, httpHeaders: { Host: "x" } } }),
      want: [
        `error: ${ready}.httpGet.httpHeaders: it is not a list of headers such as { name: Host, value: example.com }; correct it, or remove it`,
      ],
    },
    "no command": {
      given: withReadiness({ exec: { command: [] } }),
      want: [`error: ${ready}.exec.command: there is no command; list the program and its arguments`],
    },
    "a command as one text": {
      given: withReadiness({ exec: { command: "curl localhost" } }),
      want: [`error: ${ready}.exec.command: it is not a list of texts; correct it, or remove it`],
    },
    "a list in the place of a handler": {
      given: withReadiness({ exec: ["true"] }),
      want: [`error: ${ready}.exec: it is not an object; see kubectl explain pod.spec.containers.livenessProbe.exec`],
    },
  });
});

describe("what keeps an instance from running", () => {
  const settings = { headlessService: false };
  const texts = (manifest: unknown) =>
    instanceProblems(readStoredChallenge(manifest as Stored<Challenge>), settings).map(formatProblem);

  test("is an error, never a warning", () => {
    expect(texts(withContainer({ image: "web" }))).toEqual([]);
    expect(texts(withContainer({ image: "Web" }))).toEqual([expect.stringContaining("has capital letters")]);
  });

  test("is a Challenge without containers, which is fine as a Challenge", () => {
    expect(texts(challenge({ containers: [] }))).toEqual(["spec.containers: there is no container to start; add one"]);
  });

  test("is a Challenge that breaks the schema, stored before it had the rule", () => {
    expect(texts(challenge({ tags: [1] }))).toEqual([expect.stringContaining("spec.tags[0]: Invalid value")]);
  });

  test("is no field that only another platform knows", () => {
    expect(texts(challenge({ points: 500, containers: [{ ...goodContainer, command: ["sh"] }] }))).toEqual([]);
  });

  test("is not its timeout, since an instance may have another", () => {
    expect(texts(challenge({ timeout: "0s" }))).toEqual([]);
  });

  test("is not that its kind is left out, as in a list", () => {
    const { spec, metadata } = challenge();
    expect(texts({ spec, metadata })).toEqual([]);
  });
});

describe("what concerns the competition", () => {
  const withFlags = (...flags: Fields[]) => challenge({ flags });
  tell({
    "additional flags, hints and times that fit": {
      given: challenge({
        flags: [{ content: "flag{x}" }, { type: "regex", content: "flag\\{[0-9a-f]{8}\\}", caseInsensitive: true }],
        hints: [{ name: "first", content: "Look." }],
        hideUntil: "2026-10-01T18:00:00Z",
        closesAt: "2026-10-01T20:00:01+02:00",
        scoring: { formula: "static", maximum: 50 },
      }),
      want: [],
    },
    "a pattern that RE2 does not know, which is not quoted": {
      given: withFlags({ type: "regex", content: "(?=secret)" }, { type: "regex", content: "secret{2000}" }),
      want: [
        "error: spec.flags[0].content: this is no pattern in RE2 syntax: invalid or unsupported Perl syntax; correct it",
        "error: spec.flags[1].content: this is no pattern in RE2 syntax: invalid repeat count; correct it",
      ],
    },
    "a pattern that nearly everything matches": {
      given: withFlags({ type: "regex", content: ".*" }, { type: "regex", content: "flag\\{.*\\}" }),
      want: [0, 1].map(
        (index) =>
          `warning: spec.flags[${index}].content: the pattern matches what players guess; write more of the flag into it`,
      ),
    },
    "a flag that no player can submit": {
      given: withFlags({ content: "flag{x}\n" }),
      want: [
        "error: spec.flags[0].content: it begins or ends with white space, which is removed from what players submit; remove it",
      ],
    },
    "additional flags beside flags of instances": {
      given: challenge({
        flags: [{ content: "flag{x}" }],
        containers: [{ ...goodContainer, dynamicFlag: { env: { name: "FLAG" } } }],
      }),
      want: [
        "warning: spec.flags: instances have flags of their own, so no other flag solves the challenge; remove flags, or dynamicFlag of the containers",
      ],
    },
    "two hints of one name": {
      given: challenge({ hints: [0, 1].map(() => ({ name: "first", content: "Look." })) }),
      want: ['error: spec.hints[1]: Duplicate value: {"name":"first"}; remove one, or make them differ'],
    },
    "the end of submissions before players see the challenge": {
      given: challenge({ hideUntil: "2026-10-01T18:00:00Z", closesAt: "2026-10-01T20:00:00+02:00" }),
      want: [
        "error: spec.closesAt: it closes at 2026-10-01T20:00:00+02:00, before players see it (hideUntil 2026-10-01T18:00:00Z); set it to a later time",
      ],
    },
    "a prerequisite twice": {
      given: challenge({ prerequisites: ["a", "a"] }),
      want: ['warning: spec.prerequisites[1]: "a" is there twice; remove one'],
    },
  });
});
