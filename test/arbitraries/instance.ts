import { type Challenge, type ChallengeInstance, validateChallengeInstance } from "@berg/resources";
import fc from "fast-check";
import { flagArbitrary } from "./flag.ts";

/** Any instance that makes sense: of the Challenge that is given, or of one that nobody has written. */
export function instanceArbitrary(challenge?: Challenge): fc.Arbitrary<ChallengeInstance> {
  const { namespace = "berg", name = "missing" } = challenge?.metadata ?? {};
  const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
  return fc
    .record({
      ownerId: fc.uuid(),
      challengeNamespace: fc.constantFrom(namespace, ...(namespace === "berg" ? [undefined, ""] : [])),
      flag: maybe(flagArbitrary()),
      timeout: maybe(fc.constantFrom("", "1s", "30m", "1h30m5s", "87600h")),
      until: maybe(fc.constantFrom("2030-01-01T00:00:00Z", "2030-01-01T02:00:00.5+02:00")),
      renewals: fc.nat({ max: 3 }),
    })
    .map(({ ownerId, challengeNamespace, ...wish }) =>
      stored({
        apiVersion: "berg.norelect.ch/v1",
        kind: "ChallengeInstance",
        metadata: { namespace: "berg", name: `owner-${ownerId}` },
        spec: present({ ownerId, challengeRef: present({ name, namespace: challengeNamespace }), ...wish }),
      }),
    );
}

function stored(manifest: object): ChallengeInstance {
  const { object, errors } = validateChallengeInstance(manifest);
  if (!object) throw new Error(`the arbitrary makes invalid instances: ${JSON.stringify(errors)}`);
  return object;
}

function present(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
