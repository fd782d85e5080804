import { readStoredChallenge } from "@berg/resources";
import fc from "fast-check";
import { expect, test } from "vitest";
import { instanceProblems } from "./instance-problems.ts";
import { lintChallenge } from "./lint-challenge.ts";
import { formatProblem } from "./problem.ts";

const manifest = (spec: unknown) => ({
  apiVersion: "berg.norelect.ch/v1",
  kind: "Challenge",
  metadata: { name: "any" },
  spec,
});

function judge(given: unknown): number {
  const problems = lintChallenge(given);
  for (const problem of problems) {
    expect(formatProblem(problem)).toMatch(/\S/);
    expect(["error", "warning"]).toContain(problem.severity);
  }
  return problems.length;
}

test("whatever is read is judged", () => {
  fc.assert(
    fc.property(fc.anything({ withNullPrototype: true }), (given) => {
      expect(judge(given)).toBeGreaterThan(0);
      judge(manifest(given));
      judge(manifest({ containers: given }));
    }),
  );
});

const text = fc.oneof(fc.string({ maxLength: 20 }), fc.string({ unit: "binary", maxLength: 5 }));
const scalar = fc.oneof(text, fc.integer(), fc.double(), fc.boolean(), fc.constant(null));
const amounts = fc.record({ cpu: amount(), memory: amount(), "ephemeral-storage": amount() }, { requiredKeys: [] });
const probe = fc.dictionary(
  fc.oneof(fc.constantFrom("exec", "httpGet", "tcpSocket", "grpc", "periodSeconds", "successThreshold"), text),
  fc.oneof(
    scalar,
    fc.array(scalar, { maxLength: 2 }),
    fc.dictionary(
      fc.oneof(fc.constantFrom("port", "path", "command", "httpHeaders", "scheme", "service"), text),
      fc.oneof(scalar, fc.array(fc.anything(), { maxLength: 2 })),
    ),
  ),
);
const mode = fc.oneof(fc.constantFrom("0444", "0o111", "7"), fc.integer({ min: 0, max: 511 }));
const file = fc.record(
  { path: fc.constantFrom("/f", "/proc/f", "/a/../b", "/{entropy}", "/.."), mode },
  { requiredKeys: ["path"] },
);

const container = fc.record(
  {
    hostname: fc.constantFrom("a", "b", "a-node-port", "a-headless", "x".repeat(63)),
    image: fc.oneof(fc.stringMatching(/^\S{1,40}$/), fc.constantFrom("web:1", "a.b:80/c@sha256:d", "@", ":", "/")),
    environment: fc.dictionary(text, scalar, { maxKeys: 4 }),
    ports: fc.array(
      fc.record(
        {
          name: text,
          port: fc.integer({ min: 1, max: 65535 }),
          protocol: fc.constantFrom("tcp", "TCP", "udp"),
          type: fc.constantFrom("internalPort", "publicPort", "publicHttpRoute", "publicTlsRoute"),
        },
        { requiredKeys: [] },
      ),
      { maxLength: 3 },
    ),
    dynamicFlag: fc.oneof(
      fc.record({ content: file }),
      fc.record({ executable: file }),
      fc.constant({ env: { name: "FLAG" } }),
    ),
    resourceRequests: amounts,
    resourceLimits: amounts,
    readinessProbe: probe,
    livenessProbe: probe,
    additionalCapabilities: fc.array(fc.constantFrom("NET_ADMIN", "CAP_X", "ALL", "NONE"), { maxLength: 3 }),
    runtimeClassName: text,
    egressBandwidth: fc.constantFrom("", "1", "10M", "1e99"),
  },
  { requiredKeys: ["hostname", "image"] },
);

function amount() {
  return fc.oneof(fc.constantFrom("0", "1e9999", "1e-9999", "64Mi", "500m", "999E"), fc.nat());
}

test("every Challenge that keeps to the schema is judged", () => {
  let judged = 0;
  fc.assert(
    fc.property(fc.array(container, { maxLength: 3 }), fc.string(), (containers, flag) => {
      const given = manifest({ containers, flag, dynamicFlagMode: "leetify" });
      const problems = lintChallenge(given);
      if (!problems.some(({ message }) => /^(Invalid|Duplicate|Required|Too|Forbidden)/.test(message))) judged++;
      judge(given);
      const stopping = instanceProblems(readStoredChallenge(given as never), { headlessService: true });
      expect(stopping.every(({ severity }) => severity === "error")).toBe(true);
    }),
  );
  expect(judged).toBeGreaterThan(20);
});
