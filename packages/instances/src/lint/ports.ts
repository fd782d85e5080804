import { quoted } from "@berg/apimachinery";
import { type Challenge, type ChallengePort, type FieldPath, transportProtocol } from "@berg/resources";
import { endpointVariable } from "../builders/endpoints.ts";
import { error, type Problem, warning } from "./problem.ts";

/** What Kubernetes allows the name of a container's port to have. */
const longestPortName = 15;

interface Place {
  port: ChallengePort;
  at: FieldPath;
}

export function portProblems({ spec }: Challenge): Problem[] {
  const perContainer = spec.containers.map(({ ports }, index) =>
    ports.map((port, number) => ({ port, at: ["spec", "containers", index, "ports", number] })),
  );
  const all = perContainer.flat();
  return [
    ...all.flatMap(onePort),
    ...perContainer.flatMap(sameNumber),
    ...sameVariable(all),
    ...unreachable(spec.containers.length, all),
  ];
}

function onePort({ port: { name = "", type, protocol }, at }: Place): Problem[] {
  const problems: Problem[] = [];
  if (name.length > longestPortName) {
    // Ours leaves such a name out of the pod, where nothing needs it.
    const message = `${quoted(name)} has more than ${longestPortName} characters, which Kubernetes does not take as the name of a container's port; it is left out of the pod, and other versions of Berg refuse it`;
    problems.push(warning([...at, "name"], message, "shorten it"));
  }
  if (name !== "" && !/[A-Za-z0-9]/.test(name)) {
    const message = `${quoted(name)} has no letter or digit, so that its environment variable is called ${endpointVariable(name)}`;
    problems.push(warning([...at, "name"], message, "use letters and digits"));
  }
  if (type.endsWith("Route") && transportProtocol(protocol) === "UDP")
    problems.push(error([...at, "type"], `${type} carries TCP only, and the port is UDP`, "use publicPort"));
  return problems;
}

/** "tcp" and "TCP" are two to the schema and one to Kubernetes. */
function sameNumber(ports: Place[]): Problem[] {
  const key = ({ port }: Place) => `${port.port}/${transportProtocol(port.protocol)}`;
  return repeated(ports, key).map(({ later, earlier }) =>
    warning(later.at, `port ${key(later)} is already at ${name(earlier.at)}`, "remove one of the two"),
  );
}

/** All containers get the addresses of all named ports: of two with one variable, the first is lost. */
function sameVariable(ports: Place[]): Problem[] {
  const variable = ({ port }: Place) => endpointVariable(port.name ?? "");
  const named = ports.filter(({ port }) => port.name);
  return repeated(named, variable).map(({ later, earlier }) => {
    const message = `${variable(later)} is also the environment variable of ${name(earlier.at)}, and only this one is in it`;
    return warning([...later.at, "name"], message, "choose another name for one of the two");
  });
}

function unreachable(containers: number, ports: Place[]): Problem[] {
  if (containers === 0 || ports.some(({ port }) => port.type !== "internalPort")) return [];
  const fix = "give one port the type publicHttpRoute, publicTlsRoute or publicPort";
  return [warning(["spec", "containers"], "no port of any container can be reached by players", fix)];
}

function repeated(places: Place[], key: (place: Place) => string): { later: Place; earlier: Place }[] {
  const seen = new Map<string, Place>();
  return places.flatMap((later) => {
    const earlier = seen.get(key(later));
    seen.set(key(later), later);
    return earlier === undefined ? [] : [{ later, earlier }];
  });
}

/** Short, since the reader has the whole path before it: `containers[0].ports[1]`. */
function name(at: FieldPath): string {
  return `containers[${at[2]}].ports[${at[4]}]`;
}
