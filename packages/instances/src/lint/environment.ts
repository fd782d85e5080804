/** The environment of each container, and what Berg adds to it. Never quotes a value: those may be secrets. */
import { quoted } from "@berg/apimachinery";
import { type Challenge, type ChallengeContainer, environmentText, type FieldPath } from "@berg/resources";
import { endpointVariable } from "../builders/endpoints.ts";
import { literalEnvValue } from "../flags/flag-env.ts";
import { error, type Problem, warning } from "./problem.ts";

/** What Linux allows `NAME=value` to have, with the byte that ends it. */
const longestVariable = 128 * 1024;
/** An API server stores no object of more than about 1.5 MiB. */
const largestEnvironment = 1024 * 1024;

export function environmentProblems({ spec }: Challenge): Problem[] {
  const endpoints = new Set(
    spec.containers.flatMap(({ ports }) => ports.flatMap(({ name }) => (name ? endpointVariable(name) : []))),
  );
  return spec.containers.flatMap((container, index) => containerEnvironment(container, endpoints, index));
}

function containerEnvironment(container: ChallengeContainer, endpoints: Set<string>, index: number): Problem[] {
  const { environment, dynamicFlag } = container;
  const at = ["spec", "containers", index];
  const flagName = dynamicFlag?.env?.name;
  const added = (name: string) => {
    if (name === flagName) return "the flag";
    if (name === "CHALLENGE_NAMESPACE") return "the namespace of the instance";
    return endpoints.has(name) ? "the address of a port" : undefined;
  };
  const problems = Object.entries(environment).flatMap(([name, value]) => {
    const path = [...at, "environment", name];
    const overwritten = added(name);
    return [
      ...nameProblems(name, path),
      ...valueProblems(name, environmentText(value), path),
      ...(overwritten === undefined ? [] : [warning(path, `Berg puts ${overwritten} there`, "choose another name")]),
    ];
  });
  if (flagName === "CHALLENGE_NAMESPACE" || (flagName !== undefined && endpoints.has(flagName)))
    problems.push(
      warning([...at, "dynamicFlag", "env", "name"], `${flagName} has another use too`, "choose another name"),
    );
  return [...problems, ...totalProblem(environment, at)];
}

/** Kubernetes takes any printable ASCII but `=`, since 1.34 always; before, only what the second pattern has. */
function nameProblems(name: string, path: FieldPath): Problem[] {
  if (!/^[ -<>-~]+$/.test(name)) {
    const message = `${quoted(name)} is not the name of an environment variable`;
    return [error(path, message, "use letters, digits and _")];
  }
  if (/^[A-Za-z_.-][A-Za-z0-9_.-]*$/.test(name)) return [];
  const message = `no shell can read a variable called ${quoted(name)}, and Kubernetes before 1.32 refuses it`;
  return [warning(path, message, "use letters, digits and _, not a digit first")];
}

function valueProblems(name: string, value: string, path: FieldPath): Problem[] {
  if (value.includes("\0")) return [error(path, "the value contains the NUL character", "remove it")];
  if (Buffer.byteLength(name) + Buffer.byteLength(value) + 2 <= longestVariable) return [];
  const message = `the value has ${Buffer.byteLength(value)} bytes, and no program starts with more than ${longestVariable} in one variable`;
  return [error(path, message, "put it into the image")];
}

function totalProblem(environment: ChallengeContainer["environment"], at: FieldPath): Problem[] {
  const sizes = Object.entries(environment).map(([name, value]) =>
    Buffer.byteLength(name + literalEnvValue(environmentText(value))),
  );
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total <= largestEnvironment) return [];
  const message = `all variables have ${total} bytes together, and Kubernetes stores no more than ${largestEnvironment}`;
  return [error([...at, "environment"], message, "put some of it into the image")];
}
