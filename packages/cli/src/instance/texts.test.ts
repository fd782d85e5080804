/** The small pure parts: words for times, addresses, stages, flags and names. */
import type { Stored } from "@berg/apimachinery";
import { flagPath } from "@berg/instances";
import {
  type Challenge,
  type ChallengeInstance,
  type ChallengeInstanceStatus,
  type InstanceService,
  needsFlag,
  newFlag,
} from "@berg/resources";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addressOf, webPorts } from "./addresses.ts";
import { notFoundText } from "./find-challenge.ts";
import { flagPlaces } from "./flag-places.ts";
import { hint } from "./missing-instance.ts";
import { nearNames } from "./near-names.ts";
import { printable } from "./printable.ts";
import { spanText } from "./span.ts";
import { stageOf } from "./stages.ts";
import { waitMs } from "./wait-timeout.ts";

describe("a span of time", () => {
  test.each([
    [-5, "0 s"],
    [999, "0 s"],
    [59_999, "59 s"],
    [60_000, "1 min"],
    [90_000, "1 min 30 s"],
    [600_000, "10 min"],
    [1_799_000, "29 min"],
    [3_600_000, "1 h"],
    [7_140_000, "1 h 59 min"],
    [90_000_000, "1 d 1 h"],
  ])("%d ms is %s", (ms, want) => expect(spanText(ms)).toBe(want));
});

describe("an address", () => {
  const service: InstanceService = { name: "site", hostname: "a.ctf.example.com", port: 80, protocol: "TCP" };
  test.each<{ given: Partial<InstanceService>; web?: string; want: object }>([
    { given: {}, want: { command: "nc a.ctf.example.com 80" } },
    { given: { protocol: "UDP" }, want: { command: "nc -u a.ctf.example.com 80" } },
    { given: { tls: true, port: 443 }, want: { command: "ncat --ssl a.ctf.example.com 443" } },
    { given: { appProtocol: "SSH", port: 31022 }, want: { command: "ssh -p 31022 a.ctf.example.com" } },
    { given: {}, web: "site", want: { url: "http://a.ctf.example.com/" } },
    { given: { port: 8080 }, web: "site", want: { url: "http://a.ctf.example.com:8080/" } },
    { given: { port: 443, tls: true }, web: "site", want: { url: "https://a.ctf.example.com/" } },
    { given: { port: 443 }, web: "site", want: { url: "http://a.ctf.example.com:443/" } },
    { given: { port: 31337, appProtocol: "http" }, want: { url: "http://a.ctf.example.com:31337/" } },
    { given: { appProtocol: "http", protocol: "UDP" }, want: { command: "nc -u a.ctf.example.com 80" } },
    { given: {}, web: "other", want: { command: "nc a.ctf.example.com 80" } },
  ])("$given, web $web: $want", ({ given, web, want }) => {
    const { url, command } = addressOf({ ...service, ...given }, new Set(web ? [web] : []));
    expect({ ...(url && { url }), ...(command && { command }) }).toEqual(want);
  });

  test("a port without a name is called as its service is", () => {
    const port = (more: object) => ({ port: 80, protocol: "tcp", type: "publicHttpRoute", ...more });
    const spec = {
      containers: [
        { hostname: "web", ports: [port({}), port({ name: "admin" }), port({ type: "publicPort", port: 1 })] },
      ],
    };
    expect(webPorts({ spec: spec as unknown as Challenge["spec"] })).toEqual(new Set(["web-80", "admin"]));
  });
});

describe("a stage", () => {
  const instance = (status: ChallengeInstanceStatus | undefined, metadata: object = {}) =>
    ({ metadata, spec: {}, ...(status && { status }) }) as unknown as Stored<ChallengeInstance>;
  const waiting = { type: "PodsReady", status: "Unknown" as const, message: "Waiting for web." };
  const stuck = { type: "NamespaceDeleted", status: "False" as const, message: "It does not go away." };
  test.each<{ given: ChallengeInstanceStatus | undefined; metadata?: object; want: string }>([
    { given: undefined, want: "Asked for." },
    { given: { phase: "Pending" }, want: "Waiting." },
    { given: { phase: "Pending", message: "All 3 places are taken." }, want: "Waiting. All 3 places are taken." },
    { given: { phase: "Creating" }, want: "Making its namespace, network policy, services, routes and flag." },
    { given: { phase: "Creating", message: "The quota is used up." }, want: "The quota is used up." },
    { given: { phase: "Starting", conditions: [waiting] }, want: "Starting. Waiting for web." },
    { given: { phase: "Starting", conditions: [waiting], message: "It crashes." }, want: "Starting. It crashes." },
    { given: { phase: "Running" }, want: "Running." },
    { given: { phase: "Running", message: "It crashes." }, want: "Running, with trouble. It crashes." },
    { given: { phase: "Failed", message: "a\u001b[2Jb" }, want: "Failed. a [2Jb" },
    { given: { phase: "Running" }, metadata: { deletionTimestamp: "x" }, want: "Its end was asked for." },
    {
      given: {
        phase: "Terminating",
        terminationReason: "Timeout",
        message: "Its time is up.",
        conditions: [{ ...stuck, reason: "StoppingWorkload" }],
      },
      want: "Its time is up.",
    },
    {
      given: {
        phase: "Terminating",
        terminationReason: "Timeout",
        message: "Its time is up.",
        conditions: [{ ...stuck, reason: "NamespaceStuck" }],
      },
      want: "Its time is up. It does not go away.",
    },
    { given: { phase: "Terminated", terminationReason: "Timeout" }, want: "Everything of it is gone." },
    {
      given: { phase: "Terminated", terminationReason: "Timeout" },
      metadata: { finalizers: ["api/sync"] },
      want: "Everything of it is gone. The object is held by api/sync.",
    },
  ])("$want", ({ given, metadata, want }) => expect(stageOf(instance(given, metadata))).toBe(want));
});

describe("a flag", () => {
  const challenge = (spec: object) => ({ spec: { containers: [], ...spec } as unknown as Challenge["spec"] });
  const ones = (count: number) => new Uint8Array(count).fill(1);
  const zeros = (count: number) => new Uint8Array(count);
  test.each([
    { spec: {}, random: ones, want: `flag{${"01".repeat(16)}}` },
    { spec: { flag: "flag{a}" }, random: ones, want: "flag{a_010101010101}" },
    { spec: { flag: "bare" }, random: ones, want: "bare_010101010101" },
    { spec: { flag: "flag{original}", dynamicFlagMode: "leetify" }, random: ones, want: "flag{02161n41}" },
    { spec: { flag: "flag{original}", dynamicFlagMode: "leetify" }, random: zeros, want: "flag{original}" },
    { spec: { flag: "get{LIES} or not", dynamicFlagMode: "leetify" }, random: ones, want: "get{1135} or not" },
  ])("$want of $spec", ({ spec, random, want }) => expect(newFlag(challenge(spec), random)).toBe(want));

  test("is needed where a container gets one, and is found there", () => {
    const containers = [
      { hostname: "a", dynamicFlag: { env: { name: "FLAG" } } },
      { hostname: "b" },
      { hostname: "c", dynamicFlag: { content: { path: "/flag-{entropy}.txt" } } },
      { hostname: "d", dynamicFlag: { executable: { path: "/get" } } },
      { hostname: "e", dynamicFlag: { executable: { path: "no/{entropy}" } } },
    ];
    expect(flagPlaces(challenge({ containers }))).toEqual([
      "container a: the environment variable FLAG",
      "container c: the file /flag-{entropy: 12 characters}.txt",
      "container d: the program /get prints it",
      "container e: the program no/{entropy: 12 characters} prints it",
    ]);
    // Whoever has the flag is told the path as the controller fills it in.
    const owner = { uid: "5b1c", flag: "flag{a}" };
    const [, filledIn, , refused] = flagPlaces(challenge({ containers }), owner);
    expect(filledIn).toBe(`container c: the file ${flagPath("/flag-{entropy}.txt", owner)}`);
    expect(filledIn).toMatch(/\/flag-[0-9a-f]{12}\.txt$/);
    expect(refused).toBe("container e: the program no/{entropy} prints it");
    expect([needsFlag(challenge({ containers })), needsFlag(challenge({ containers: [{ hostname: "b" }] }))]).toEqual([
      true,
      false,
    ]);
  });
});

describe("names that somebody may have meant", () => {
  const names = ["cookie-jar", "cookie-monster", "echo", "web-and-database"];
  test.each([
    ["cooky-jar", ["cookie-jar", "cookie-monster"]],
    ["ecoh", ["echo"]],
    ["zzz", []],
  ])("%s", (meant, want) => expect(nearNames(meant, names)).toEqual(want));

  test("the very name comes first", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.stringMatching(/^[a-z0-9-]{1,12}$/), { minLength: 1 }), fc.nat(), (all, at) => {
        const meant = all[at % all.length] ?? "";
        const [first] = nearNames(meant, all);
        expect(nearNames(meant, [first ?? "", meant])[0]?.length).toBeDefined();
        expect(nearNames(meant, all)).toContain(meant);
      }),
    );
  });

  test("all are named where none is like it", () => {
    const many = Array.from({ length: 12 }, (_, at) => `c${String(at).padStart(2, "0")}`);
    expect(notFoundText("zzz", "berg", many, undefined)).toBe(
      "there is no Challenge zzz in the namespace berg. There are c00, c01, c02, c03, c04, c05, c06, c07, c08, c09, and 2 more",
    );
  });
});

describe("an instance that is not there", () => {
  const all = [
    ["berg", "notes-1f9c3a", "notes"],
    ["berg", "jail-000001", "jail"],
    ["berg", "jail-000000", "jail"],
    ["other", "far", "notes"],
  ].map(([namespace, name, challenge]) => ({
    metadata: { namespace, name },
    spec: { challengeRef: { name: challenge } },
  }));
  test.each([
    ["far", "There is one in other: add -n other"],
    ["notes", "It is the name of a Challenge, with the instance notes-1f9c3a"],
    ["jail", "It is the name of a Challenge, with the instances jail-000000, jail-000001"],
    ["notes-1f9c3b", "Did you mean notes-1f9c3a?"],
    ["zzz", undefined],
  ])("%s", (name, want) => expect(hint(name, "berg", all as unknown as Stored<ChallengeInstance>[])).toBe(want));
});

describe("how long to wait", () => {
  test("a time, or as long as it takes", () => {
    expect([waitMs({ waitTimeout: "1m30s" }), waitMs({})]).toEqual([90_000, undefined]);
  });
  test.each(["soon", "5", "0s", "-1m", ""])("%j is refused", (waitTimeout) =>
    expect(() => waitMs({ waitTimeout })).toThrow(`--wait-timeout: "${waitTimeout}" is no time to wait`),
  );
});

test("words of others cannot move the cursor, nor turn the line around", () => {
  const character = fc.nat(0x2fff).map((code) => String.fromCharCode(code));
  fc.assert(
    fc.property(fc.string({ unit: character }), (text) => {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      expect(printable(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
    }),
  );
  expect(printable("größer → ok")).toBe("größer → ok");
});
