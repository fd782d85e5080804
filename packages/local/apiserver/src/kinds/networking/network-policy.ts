/** Network policies: who may talk to pods, and to whom they may talk. */
import type { LabelSelector } from "@berg/apimachinery";
import { type FieldError, forbidden, invalid, notSupported, required } from "../../errors/field-error.ts";
import { builtIn, inStoredForm } from "../built-in.ts";
import { isReadableRange, isStrictlyWithin, rangeErrors, rangeWarnings } from "../checks/addresses.ts";
import { labelSelector as selectorErrors } from "../checks/field-rules.ts";
import { portNameProblems, portNumberProblems } from "../checks/names.ts";
import { ageColumn, column, nameColumn, showSelector } from "../columns.ts";
import { always, choice, int32, intOrString, kept, list, object, text } from "../shapes.ts";
import { labelSelector } from "../workloads/shapes/meta.ts";

interface Port {
  protocol: string;
  port?: number | string;
  endPort?: number;
}

interface Peer {
  podSelector?: LabelSelector;
  namespaceSelector?: LabelSelector;
  ipBlock?: { cidr: string; except?: string[] };
}

interface PolicySpec {
  podSelector: LabelSelector;
  ingress?: { ports?: Port[]; from?: Peer[] }[];
  egress?: { ports?: Port[]; to?: Peer[] }[];
  policyTypes?: string[];
}

const port = object({ protocol: kept(choice("SCTP", "TCP", "UDP")), port: intOrString(), endPort: kept(int32()) });
const ipBlock = object({ cidr: always(text()), except: list(text()) }, ["cidr"]);
const peer = object({ podSelector: labelSelector, namespaceSelector: labelSelector, ipBlock });

const schema = object({
  spec: always(
    object({
      podSelector: always(labelSelector),
      ingress: list(object({ ports: list(port), from: list(peer) })),
      egress: list(object({ ports: list(port), to: list(peer) })),
      policyTypes: list(choice("Egress", "Ingress")),
    }),
  ),
});

export const networkPolicies = builtIn({
  group: "networking.k8s.io",
  resource: "networkpolicies",
  kind: "NetworkPolicy",
  shortNames: ["netpol"],
  schema,
  columns: [
    nameColumn,
    column("Pod-Selector", "The pods that it is about.", (object) => showSelector(specOf(object).podSelector)),
    ageColumn,
  ],
  strategy: {
    hasGeneration: true,
    fillIn: inStoredForm(schema, (draft) => {
      const spec = specOf(draft);
      for (const { ports = [] } of [...(spec.ingress ?? []), ...(spec.egress ?? [])])
        for (const port of ports) port.protocol ??= "TCP";
      spec.policyTypes ??= spec.egress ? ["Ingress", "Egress"] : ["Ingress"];
    }),
    validate: (object) => specErrors(specOf(object)),
    warnings: (object) =>
      blocksOf(specOf(object)).flatMap(([field, { cidr, except = [] }]) => [
        ...rangeWarnings(`${field}.cidr`, cidr),
        ...except.flatMap((range, i) => rangeWarnings(`${field}.except[${i}]`, range)),
      ]),
  },
});

function specOf(object: unknown): PolicySpec {
  return (object as { spec: PolicySpec }).spec;
}

/** Each with where it stands. */
function blocksOf({ ingress = [], egress = [] }: PolicySpec): [string, NonNullable<Peer["ipBlock"]>][] {
  const all = [
    ...ingress.flatMap(({ from = [] }, i) => from.map((peer, j) => ({ peer, at: `spec.ingress[${i}].from[${j}]` }))),
    ...egress.flatMap(({ to = [] }, i) => to.map((peer, j) => ({ peer, at: `spec.egress[${i}].to[${j}]` }))),
  ];
  return all.flatMap(({ peer, at }) => (peer.ipBlock ? [[`${at}.ipBlock`, peer.ipBlock]] : []));
}

function specErrors(spec: PolicySpec): FieldError[] {
  const { podSelector, ingress = [], egress = [], policyTypes = [] } = spec;
  const ruleErrors = (at: string, ports: Port[] = [], peers: Peer[] = [], side: string) => [
    ...ports.flatMap((port, i) => portErrors(port, `${at}.ports[${i}]`)),
    ...peers.flatMap((peer, i) => peerErrors(peer, `${at}.${side}[${i}]`)),
  ];
  const errors = [
    ...selectorErrors("spec.podSelector", podSelector),
    ...ingress.flatMap(({ ports, from }, i) => ruleErrors(`spec.ingress[${i}]`, ports, from, "from")),
    ...egress.flatMap(({ ports, to }, i) => ruleErrors(`spec.egress[${i}]`, ports, to, "to")),
  ];
  const types = ["Ingress", "Egress"];
  if (policyTypes.length > 2)
    return [...errors, invalid("spec.policyTypes", policyTypes, "may not specify more than two policyTypes")];
  for (const [i, type] of policyTypes.entries())
    if (!types.includes(type)) errors.push(notSupported(`spec.policyTypes[${i}]`, type, types));
  return errors;
}

function portErrors({ protocol, port, endPort }: Port, at: string): FieldError[] {
  const errors: FieldError[] = [];
  const wrong = (field: string, value: unknown) => (problem: string) => invalid(`${at}.${field}`, value, problem);
  const protocols = ["TCP", "UDP", "SCTP"];
  if (!protocols.includes(protocol)) errors.push(notSupported(`${at}.protocol`, protocol, protocols));
  if (typeof port === "number") {
    errors.push(...portNumberProblems(port).map(wrong("port", port)));
    if (endPort === undefined) return errors;
    // The value that Kubernetes shows here is that of `port`.
    if (endPort < port) errors.push(wrong("endPort", port)("must be greater than or equal to `port`"));
    return [...errors, ...portNumberProblems(endPort).map(wrong("endPort", endPort))];
  }
  if (endPort !== undefined)
    errors.push(
      wrong(
        "endPort",
        endPort,
      )(`may not be specified when \`port\` is ${port === undefined ? "not specified" : "non-numeric"}`),
    );
  return port === undefined ? errors : [...errors, ...portNameProblems(port).map(wrong("port", port))];
}

function peerErrors({ podSelector, namespaceSelector, ipBlock }: Peer, at: string): FieldError[] {
  const errors: FieldError[] = [];
  if (podSelector) errors.push(...selectorErrors(`${at}.podSelector`, podSelector));
  if (namespaceSelector) errors.push(...selectorErrors(`${at}.namespaceSelector`, namespaceSelector));
  if (ipBlock) errors.push(...blockErrors(ipBlock, `${at}.ipBlock`));
  if (!podSelector && !namespaceSelector && !ipBlock) errors.push(required(at, "must specify a peer"));
  else if (ipBlock && (podSelector || namespaceSelector))
    errors.push(forbidden(at, "may not specify both ipBlock and another peer"));
  return errors;
}

function blockErrors({ cidr, except = [] }: NonNullable<Peer["ipBlock"]>, at: string): FieldError[] {
  if (cidr === "") return [required(`${at}.cidr`)];
  const errors = rangeErrors(`${at}.cidr`, cidr);
  if (!isReadableRange(cidr)) return errors;
  for (const [i, range] of except.entries()) {
    const field = `${at}.except[${i}]`;
    errors.push(...rangeErrors(field, range));
    if (isReadableRange(range) && !isStrictlyWithin(range, cidr))
      errors.push(invalid(field, range, "must be a strict subset of `cidr`"));
  }
  return errors;
}
