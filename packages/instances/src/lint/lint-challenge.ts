/**
 * Checks of a Challenge without a cluster, for authors (`berg lint`) and for the controller, which starts nothing that
 * cannot work. Each file beside this one checks one thing; this one says in which order.
 */
import { type Challenge, type ChallengeContainer, type FieldPath, readChallenge } from "@berg/resources";
import type { BuildSettings, Settings } from "../settings/settings.ts";
import { bandwidthProblems } from "./bandwidth.ts";
import { capabilityProblems } from "./capabilities.ts";
import { competingProblems } from "./competing.ts";
import { environmentProblems } from "./environment.ts";
import { flagProblems } from "./flag.ts";
import { containerFlagProblems } from "./flag-file.ts";
import { imageProblems } from "./image.ts";
import { nameProblems, runtimeClassProblems } from "./names.ts";
import { portProblems } from "./ports.ts";
import { probeProblems } from "./probes.ts";
import type { Problem } from "./problem.ts";
import { resourceProblems } from "./resources.ts";
import { schemaProblems, unknownFieldProblems } from "./schema.ts";
import { timeoutProblems } from "./timeout.ts";

/** The settings that decide whether a Challenge works. An author does not know them. */
export type LintSettings = Partial<Pick<BuildSettings, "headlessService"> & Pick<Settings, "capabilities">>;

/**
 * Everything that is wrong with a Challenge, whatever it is that was read. What breaks the schema is told first and
 * alone: what else is wrong cannot be told before it is right.
 *
 *     lintChallenge(parse(file)).map(formatProblem)
 */
export function lintChallenge(manifest: unknown, settings?: LintSettings): Problem[] {
  const { object, errors, unknownFields } = readChallenge(manifest);
  const ignored = unknownFieldProblems(unknownFields);
  if (object === undefined) return [...schemaProblems(errors), ...ignored];
  return [...ignored, ...timeoutProblems(object), ...competingProblems(object), ...workloadProblems(object, settings)];
}

/** Of a Challenge that keeps to the schema, all but its timeout: an instance may have one of its own. */
export function workloadProblems(challenge: Challenge, settings: LintSettings | undefined): Problem[] {
  return [
    ...nameProblems(challenge, settings),
    ...flagProblems(challenge),
    ...portProblems(challenge),
    ...environmentProblems(challenge),
    ...challenge.spec.containers.flatMap((container, index) =>
      containerProblems(container, ["spec", "containers", index], settings),
    ),
  ];
}

function containerProblems(
  container: ChallengeContainer,
  at: FieldPath,
  settings: LintSettings | undefined,
): Problem[] {
  return [
    ...imageProblems(container, at),
    ...resourceProblems(container, at),
    ...bandwidthProblems(container, at),
    ...runtimeClassProblems(container, at),
    ...capabilityProblems(container, at, settings),
    ...containerFlagProblems(container, at),
    ...probeProblems(container, at),
  ];
}
