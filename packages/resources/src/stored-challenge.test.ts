import type { Stored } from "@berg/apimachinery";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cases } from "./cases.ts";
import type { Challenge } from "./challenge.ts";
import { formatFieldError } from "./field-error.ts";
import { readChallenge, readStoredChallenge } from "./stored-challenge.ts";
import { validateChallenge } from "./validate.ts";

const head = { apiVersion: "berg.norelect.ch/v1", kind: "Challenge", metadata: { name: "web" } };
const stored = (spec: unknown) => ({ ...head, spec }) as Stored<Challenge>;
const container = { hostname: "web", image: "web:1" };
const defaults = { environment: {}, ports: [], additionalCapabilities: [] };

describe("a Challenge that another CRD has let through", () => {
  test("gets the defaults that it lacks, in lists too", () => {
    const { challenge, errors } = readStoredChallenge(stored({ containers: [{ ...container, ports: [{}] }] }));
    expect(errors).toEqual([]);
    expect(challenge.spec).toEqual({
      owners: [],
      flags: [],
      dynamicFlagMode: "suffix",
      prerequisites: [],
      hints: [],
      categories: [],
      tags: [],
      attachments: [],
      allowOutboundTraffic: false,
      containers: [{ ...container, ...defaults, ports: [{ port: 80, protocol: "tcp", type: "internalPort" }] }],
    });
  });

  test("has a null as if the field were not there, but for the value of an environment variable", () => {
    const dynamicFlag = { env: null, content: { path: "/flag", mode: null } };
    const nulls = { dynamicFlag, environment: { DEBUG: null }, runtimeClassName: null, resourceLimits: null };
    const { challenge, errors } = readStoredChallenge(
      stored({ displayName: null, containers: [{ ...container, ...nulls }] }),
    );
    expect(errors).toEqual([]);
    expect(challenge.spec).not.toHaveProperty("displayName");
    expect(challenge.spec.containers).toEqual([
      { ...container, ...defaults, environment: { DEBUG: null }, dynamicFlag: { content: { path: "/flag" } } },
    ]);
  });

  test("loses the fields that only the other CRD knows, which is no error", () => {
    const ports = [{ port: 80, published: true }];
    const manifest = { ...stored({ points: 500, containers: [{ ...container, command: ["sh"], ports }] }), status: {} };
    const { challenge, errors } = readStoredChallenge(manifest);
    expect(errors).toEqual([]);
    expect(challenge.spec).not.toHaveProperty("points");
    expect(challenge.spec.containers[0]).not.toHaveProperty("command");
    expect(challenge.spec.containers[0]?.ports).toEqual([{ port: 80, protocol: "tcp", type: "internalPort" }]);
    expect(
      readChallenge(manifest)
        .unknownFields.map(({ field }) => field)
        .toSorted(),
    ).toEqual(["spec.containers[0].command", "spec.containers[0].ports[0].published", "spec.points", "status"]);
  });

  test("keeps the fields that are valid where others are not, and tells of those alone", () => {
    const { challenge, errors } = readStoredChallenge(
      stored({ timeout: "10m", until: "tomorrow", containers: "none", tags: null, points: 1 }),
    );
    expect(errors.map(formatFieldError)).toEqual([
      expect.stringMatching(/^spec\.until: Invalid value/),
      'spec.containers: Invalid value: "string": must be of type array',
    ]);
    expect(challenge.spec).toMatchObject({ timeout: "10m", containers: [], tags: [] });
    expect(challenge.spec).not.toHaveProperty("until");
  });

  test.each([undefined, null, 1, "text", [], [[]]])("may have no spec at all: %j", (spec) => {
    const { challenge, errors } = readStoredChallenge(stored(spec));
    expect(errors.map(({ field }) => field)).toEqual(["spec"]);
    expect(challenge.spec.containers).toEqual([]);
  });
});

test("a Challenge as our CRD stores it stays the same object", () => {
  const valid = cases.filter(({ kind, wantRefused = [] }) => kind === "Challenge" && wantRefused.length === 0);
  expect(valid.length).toBeGreaterThan(5);
  for (const { write } of valid) {
    const { object } = validateChallenge({ ...head, ...write });
    expect(readStoredChallenge(object as Stored<Challenge>)).toEqual({ challenge: object, errors: [] });
    expect(readStoredChallenge(object as Stored<Challenge>).challenge).toBe(object);
  }
});

test("whatever is stored, what is read keeps to the schema", () => {
  const spec = fc.oneof(fc.jsonValue(), fc.record({ containers: fc.jsonValue(), timeout: fc.jsonValue() }));
  fc.assert(
    fc.property(spec, (given) => {
      const { challenge } = readStoredChallenge(stored(given));
      expect(validateChallenge(challenge).errors).toEqual([]);
      expect(readStoredChallenge(challenge)).toEqual({ challenge, errors: [] });
    }),
  );
});
