/** Probes, which the schema leaves open: what the API server refuses once everything else of an instance is made. */
import { quoted } from "@berg/apimachinery";
import type { ChallengeContainer, ChallengePort, FieldPath } from "@berg/resources";
import { type Fields, type FieldType, fieldProblems, isFields } from "./probe-fields.ts";
import { error, type Problem, warning } from "./problem.ts";

const handlers: Record<string, Record<string, FieldType>> = {
  exec: { command: "texts" },
  httpGet: { path: "text", port: "port", host: "text", scheme: "text", httpHeaders: "headers" },
  tcpSocket: { port: "port", host: "text" },
  grpc: { port: "port", service: "text" },
};
const handlerNames = Object.keys(handlers).join(", ");

const timing: Record<string, FieldType> = {
  initialDelaySeconds: "count",
  timeoutSeconds: "count",
  periodSeconds: "count",
  successThreshold: "count",
  failureThreshold: "count",
  terminationGracePeriodSeconds: "count",
};

export function probeProblems({ ports, readinessProbe, livenessProbe }: ChallengeContainer, at: FieldPath): Problem[] {
  return [
    ...(readinessProbe ? oneProbe(readinessProbe, ports, [...at, "readinessProbe"]) : []),
    ...(livenessProbe ? oneProbe(livenessProbe, ports, [...at, "livenessProbe"]) : []),
    ...(readinessProbe ? readinessOnly(readinessProbe, at) : missingReadiness(ports, at)),
    ...(livenessProbe ? livenessOnly(livenessProbe, at) : []),
  ];
}

function missingReadiness(ports: ChallengePort[], at: FieldPath): Problem[] {
  if (ports.length === 0) return [];
  const message = "there is no readinessProbe, so that players are sent to a program that may not listen yet";
  return [warning(at, message, "add one, such as readinessProbe: { tcpSocket: { port: 80 } }")];
}

function readinessOnly(probe: Fields, at: FieldPath): Problem[] {
  if (!probe.terminationGracePeriodSeconds) return [];
  const path = [...at, "readinessProbe", "terminationGracePeriodSeconds"];
  return [error(path, "only a livenessProbe can have it, as only that one ends a container", "remove it")];
}

function livenessOnly({ successThreshold }: Fields, at: FieldPath): Problem[] {
  if (typeof successThreshold !== "number" || successThreshold === 0 || successThreshold === 1) return [];
  return [error([...at, "livenessProbe", "successThreshold"], `${successThreshold} is not 1`, "write 1, or remove it")];
}

function oneProbe(probe: Fields, ports: ChallengePort[], at: FieldPath): Problem[] {
  const chosen = Object.keys(handlers).filter((name) => probe[name] !== undefined && probe[name] !== null);
  const [first, second] = chosen;
  const rest = Object.fromEntries(Object.entries(probe).filter(([name]) => !(name in handlers)));
  const problems = fieldProblems(rest, timing, at);
  if (first === undefined) return [error(at, "it says nothing to try", `set one of ${handlerNames}`), ...problems];
  if (second !== undefined)
    return [
      error([...at, second], `${first} is set too, and a probe tries one thing`, "remove one of them"),
      ...problems,
    ];
  return [...problems, ...handlerProblems(first, probe[first], ports, [...at, first])];
}

function handlerProblems(name: string, handler: unknown, ports: ChallengePort[], at: FieldPath): Problem[] {
  if (!isFields(handler))
    return [error(at, "it is not an object", `see kubectl explain pod.spec.containers.livenessProbe.${name}`)];
  const problems = fieldProblems(handler, handlers[name] ?? {}, at);
  if (name === "exec") return [...problems, ...emptyCommand(handler, at)];
  return [
    ...problems,
    ...portProblems(handler.port, ports, [...at, "port"]),
    ...hostProblems(handler, at),
    ...schemeProblems(handler, at),
  ];
}

/** It is the node that asks: an author could make it ask whatever only nodes can reach. No pod with such a probe is admitted. */
function hostProblems({ host }: Fields, at: FieldPath): Problem[] {
  if (typeof host !== "string" || host === "") return [];
  return [
    error([...at, "host"], `a probe asks its own container, and no other host such as ${quoted(host)}`, "remove it"),
  ];
}

function emptyCommand({ command }: Fields, at: FieldPath): Problem[] {
  const isMissing = command === undefined || command === null || (Array.isArray(command) && command.length === 0);
  return isMissing ? [error([...at, "command"], "there is no command", "list the program and its arguments")] : [];
}

function schemeProblems({ scheme }: Fields, at: FieldPath): Problem[] {
  if (typeof scheme !== "string" || ["", "HTTP", "HTTPS"].includes(scheme)) return [];
  return [error([...at, "scheme"], `${quoted(scheme)} is not a scheme`, "write HTTP or HTTPS")];
}

/** By number, or by the name that the author gave to a port of this container. */
function portProblems(port: unknown, ports: ChallengePort[], path: FieldPath): Problem[] {
  if (port === undefined || port === null) return [error(path, "there is no port", "set it")];
  if (typeof port === "number") {
    if (Number.isInteger(port) && port >= 1 && port <= 65535) return [];
    return [error(path, `${port} is not a port (1-65535)`)];
  }
  if (typeof port !== "string") return [];
  if (ports.some(({ name }) => name !== undefined && name !== "" && name === port)) return [];
  if (/^\d+$/.test(port))
    return [error(path, `${quoted(port)} is the name of a port, not its number`, `write ${port} without quotes`)];
  const names = ports.flatMap(({ name }) => (name ? [quoted(name)] : []));
  const fix = names.length > 0 ? `use one of ${names.join(", ")}, or a number` : "use the number of the port";
  return [error(path, `no port of this container is called ${quoted(port)}`, fix)];
}
