/** Names of objects that are made of names in the Challenge. */
import { dns1123SubdomainProblem } from "@berg/apimachinery";
import type { Challenge, ChallengeContainer, FieldPath } from "@berg/resources";
import { headlessServiceName, nodePortServiceName, serviceName } from "../builders/names.ts";
import type { LintSettings } from "./lint-challenge.ts";
import { error, type Problem, warning } from "./problem.ts";

/** What `spec.challengeRef.name` of a ChallengeInstance may have. */
const longestChallengeName = 64;

export function nameProblems({ metadata, spec }: Challenge, settings: LintSettings | undefined): Problem[] {
  const problems = [...serviceCollisions(spec.containers, settings), ...cutNames(spec.containers, settings)];
  const { name = "" } = metadata;
  if (name.length <= longestChallengeName) return problems;
  const message = `the name has ${name.length} characters, and no ChallengeInstance can refer to more than ${longestChallengeName}`;
  return [error(["metadata", "name"], message, "shorten it"), ...problems];
}

/** Two Services of one name: a container called as the Service that another one gets besides its own. */
function serviceCollisions(containers: ChallengeContainer[], settings: LintSettings | undefined): Problem[] {
  const withPorts = containers.filter(({ ports }) => ports.length > 0);
  const withNodePorts = containers.filter(({ ports }) => ports.some(({ type }) => type === "publicPort"));
  const headless = settings?.headlessService === false ? [] : containers;
  const besides = [
    ...withNodePorts.map(({ hostname }) => ({ hostname, name: nodePortServiceName(hostname), judge: error })),
    // Whether there are headless Services is the organiser's choice, which an author may not know.
    ...headless.map(({ hostname }) => ({
      hostname,
      name: headlessServiceName(hostname),
      judge: settings?.headlessService === undefined ? warning : error,
    })),
  ];
  return besides.flatMap(({ hostname, name, judge }) => {
    if (!withPorts.some((container) => serviceName(container.hostname) === name)) return [];
    const index = containers.findIndex((container) => container.hostname === name);
    const message = `"${name}" is also the name of a Service that the container "${hostname}" gets`;
    return [judge(["spec", "containers", index, "hostname"], message, "choose another hostname")];
  });
}

/** Other containers look for it under a name that they can know. */
function cutNames(containers: ChallengeContainer[], settings: LintSettings | undefined): Problem[] {
  if (settings?.headlessService === false) return [];
  return containers.flatMap(({ hostname }, index) => {
    const wanted = `${hostname}-headless`;
    if (headlessServiceName(hostname) === wanted) return [];
    const message = `"${wanted}" is too long for a Service: where there are headless ones, this one has another name`;
    return [warning(["spec", "containers", index, "hostname"], message, "shorten the hostname to 54 characters")];
  });
}

export function runtimeClassProblems({ runtimeClassName }: ChallengeContainer, at: FieldPath): Problem[] {
  const problem = runtimeClassName ? dns1123SubdomainProblem(runtimeClassName) : undefined;
  return problem === undefined ? [] : [error([...at, "runtimeClassName"], problem)];
}
