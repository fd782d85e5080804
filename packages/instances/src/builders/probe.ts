/**
 * A probe as the author wrote it, in the form in which the API server returns it. It drops what it does not know, and
 * what is empty or zero; a field that we ask for and never get back would look like an edit to be repaired, for ever.
 */
import type { Pod } from "@berg/kube";
import type { ChallengeContainer, ChallengePort } from "@berg/resources";

type AuthoredProbe = NonNullable<ChallengeContainer["readinessProbe"]>;
export type Probe = NonNullable<NonNullable<Pod["spec"]>["containers"][number]["readinessProbe"]>;
type Fields = Record<string, unknown>;

const handlers = {
  exec: ["command"],
  httpGet: ["path", "port", "host", "scheme", "httpHeaders"],
  tcpSocket: ["port", "host"],
  grpc: ["port", "service"],
};

const timing = [
  "initialDelaySeconds",
  "timeoutSeconds",
  "periodSeconds",
  "successThreshold",
  "failureThreshold",
  "terminationGracePeriodSeconds",
];

export function probeOf(probe: AuthoredProbe, ports: readonly ChallengePort[]): Probe {
  const normal = filled(probe, timing);
  for (const [name, fields] of Object.entries(handlers)) {
    const handler = probe[name];
    if (isFields(handler)) normal[name] = withPortNumber(withHeaders(filled(handler, fields)), ports);
  }
  return normal;
}

function filled(object: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(object, name) && !isEmpty(object[name])).map((name) => [name, object[name]]),
  );
}

function isEmpty(value: unknown): boolean {
  return value === null || value === "" || value === 0 || (Array.isArray(value) && value.length === 0);
}

/** The one empty text that the server keeps is the value of a header. */
function withHeaders(handler: Fields): Fields {
  const { httpHeaders } = handler;
  if (!Array.isArray(httpHeaders)) return handler;
  return {
    ...handler,
    httpHeaders: httpHeaders.filter(isFields).map(({ name, value }) => ({ name: name ?? "", value: value ?? "" })),
  };
}

/** By number, since a name that is no legal name of a container's port never gets there. */
function withPortNumber(handler: Fields, ports: readonly ChallengePort[]): Fields {
  const named = typeof handler.port === "string" && ports.find(({ name }) => name === handler.port);
  return named ? { ...handler, port: named.port } : handler;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
