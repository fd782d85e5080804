import { quoted } from "@berg/apimachinery";
import type { ChallengeContainer, FieldPath } from "@berg/resources";
import { isBaselineCapability } from "../builders/namespace.ts";
import { defaultCapabilities, isAllowedCapability, isCapability } from "../settings/capabilities.ts";
import type { LintSettings } from "./lint-challenge.ts";
import { error, type Problem, warning } from "./problem.ts";

/** With any of these, root reads a file whatever its mode. */
const readEverything = ["DAC_OVERRIDE", "DAC_READ_SEARCH", "ALL"];

export function capabilityProblems(
  { additionalCapabilities, dynamicFlag }: ChallengeContainer,
  at: FieldPath,
  { capabilities = defaultCapabilities }: LintSettings = {},
): Problem[] {
  return additionalCapabilities.flatMap((name, index): Problem[] => {
    const path = [...at, "additionalCapabilities", index];
    if (name.startsWith("CAP_"))
      return [error(path, `${quoted(name)} has the prefix CAP_`, `write ${name.replace(/^(CAP_)+/, "")}`)];
    if (!isCapability(name))
      return [error(path, `Linux has no capability ${quoted(name)}`, "correct it, or remove it")];
    const problems: Problem[] = [];
    if (!isAllowedCapability(name, capabilities)) problems.push(notAllowed(name, path));
    else if (!isBaselineCapability(name)) {
      const message = `${name} is more than ordinary pods may have, so that the namespace of every instance is "privileged"`;
      problems.push(warning(path, message, "remove it where the challenge works without it"));
    }
    if (dynamicFlag?.executable && readEverything.includes(name)) {
      const message = `with ${name} root in the container reads the flag out of the executable without running it`;
      problems.push(warning(path, message, "remove it, or hand over the flag another way"));
    }
    return problems;
  });
}

function notAllowed(name: string, path: FieldPath): Problem {
  const message = `the capability ${name} is not allowed: it reaches beyond the pod, and may make players root on the node`;
  const cluster = "CHALLENGE_CAPABILITIES of the controller and deploy/admission-policy-contents.yaml";
  const fix = `remove it; who accepts that risk allows it in ${cluster}, or with --allow-capabilities of berg up, dev and lint`;
  return error(path, message, fix);
}
