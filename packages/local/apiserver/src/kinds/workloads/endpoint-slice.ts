/** Endpoint slices: where the pods of a service are, and which of them are ready. */

import { isIPv4, isIPv6 } from "node:net";
import { jsonEqual } from "@berg/apimachinery";
import { duplicate, type FieldError, invalid, required, tooMany } from "../../errors/field-error.ts";
import type { Column, ServedResource, Strategy } from "../../registry/resource.ts";
import {
  labelProblems,
  labelValueProblems,
  qualifiedNameProblems,
  subdomainProblems,
} from "../../schema/metadata/names.ts";
import { endpointAddressErrors } from "../checks/addresses.ts";
import { each, ipAddress, labels, oneOf, requiredOneOf, unchanged } from "../checks/field-rules.ts";
import { ageColumn, nameColumn } from "../columns.ts";
import { served } from "../served.ts";
import { always, choice, list, object } from "../shapes.ts";
import { toStoredForm } from "../stored-form.ts";
import { endpoint, endpointPort } from "./shapes/discovery.ts";
import { asA } from "./types.ts";

interface Endpoint {
  addresses: string[] | null;
  nodeName?: string;
  hostname?: string;
  deprecatedTopology?: Record<string, string>;
  hints?: { forZones?: { name: string }[]; forNodes?: { name: string }[] };
}

interface Port {
  name?: string;
  port?: number;
  protocol?: string;
  appProtocol?: string;
}

interface EndpointSlice {
  addressType: string;
  endpoints: Endpoint[] | null;
  ports: Port[] | null;
}

const schema = object(
  {
    addressType: always(choice("FQDN", "IPv4", "IPv6")),
    endpoints: always(list(endpoint)),
    ports: always(list(endpointPort)),
  },
  ["addressType"],
);

const mostEndpoints = 1000;
const mostAddresses = 100;
const mostPorts = 20000;
const mostHints = 8;

const strategy: Strategy = {
  hasStatus: false,
  hasGeneration: true,
  fillIn(draft) {
    toStoredForm(draft, schema);
    for (const port of asA<EndpointSlice>(draft).ports ?? []) {
      port.name ??= "";
      port.protocol ??= "TCP";
    }
  },
  prepare(draft, old) {
    const slice = asA<EndpointSlice>(draft);
    // The labels say whose endpoints these are.
    if (old && !jsonEqual(draft.metadata.labels ?? {}, old.metadata.labels ?? {}))
      draft.metadata.generation = (old.metadata.generation ?? 0) + 1;
    if (old && jsonEqual(slice.endpoints, asA<EndpointSlice>(old).endpoints)) return;
    for (const endpoint of slice.endpoints ?? []) delete endpoint.deprecatedTopology;
  },
  validate(draft, old) {
    const slice = asA<EndpointSlice>(draft);
    const before = old && asA<EndpointSlice>(old);
    const errors = [
      ...requiredOneOf("addressType", slice.addressType, ["FQDN", "IPv4", "IPv6"]),
      ...portErrors("ports", slice.ports ?? []),
      ...endpointErrors("endpoints", slice),
    ];
    return before ? [...errors, ...unchanged("addressType", slice.addressType, before.addressType)] : errors;
  },
};

function portErrors(path: string, ports: readonly Port[]): FieldError[] {
  if (ports.length > mostPorts) return [tooMany(path, ports.length, mostPorts)];
  const names = new Set<string>();
  return ports.flatMap(({ name = "", protocol, appProtocol }, index) => {
    const at = `${path}[${index}]`;
    const errors = name === "" ? [] : each(`${at}.name`, name, labelProblems(name));
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
    names.add(name);
    errors.push(...oneOf(`${at}.protocol`, protocol ?? "", ["SCTP", "TCP", "UDP"]));
    if (appProtocol !== undefined)
      errors.push(...each(`${at}.appProtocol`, appProtocol, qualifiedNameProblems(appProtocol)));
    return errors;
  });
}

function endpointErrors(path: string, { endpoints, addressType }: EndpointSlice): FieldError[] {
  const all = endpoints ?? [];
  if (all.length > mostEndpoints) return [tooMany(path, all.length, mostEndpoints)];
  return all.flatMap((endpoint, index) => {
    const at = `${path}[${index}]`;
    const { nodeName, hostname, deprecatedTopology, hints } = endpoint;
    const addresses = endpoint.addresses ?? [];
    const errors: FieldError[] = [];
    if (addresses.length === 0) errors.push(required(`${at}.addresses`, "must contain at least 1 address"));
    if (addresses.length > mostAddresses) errors.push(tooMany(`${at}.addresses`, addresses.length, mostAddresses));
    for (const [number, address] of addresses.entries())
      errors.push(...addressErrors(`${at}.addresses`, number, address, addressType));
    if (nodeName !== undefined) errors.push(...each(`${at}.nodeName`, nodeName, subdomainProblems(nodeName)));
    errors.push(...labels(`${at}.deprecatedTopology`, deprecatedTopology));
    if (hostname !== undefined) errors.push(...each(`${at}.hostname`, hostname, labelProblems(hostname)));
    return [
      ...errors,
      ...hintErrors(`${at}.hints.forZones`, hints?.forZones ?? [], labelValueProblems),
      ...hintErrors(`${at}.hints.forNodes`, hints?.forNodes ?? [], subdomainProblems),
    ];
  });
}

function addressErrors(path: string, index: number, address: string, type: string): FieldError[] {
  const at = `${path}[${index}]`;
  if (type === "FQDN") return domainErrors(at, address);
  if (type !== "IPv4" && type !== "IPv6") return [];
  const errors = ipAddress(at, address);
  if (errors.length > 0) return errors;
  if (type === "IPv4" && !isIPv4(address)) errors.push(invalid(path, address, "must be an IPv4 address"));
  if (type === "IPv6" && !isIPv6(address)) errors.push(invalid(path, address, "must be an IPv6 address"));
  return [...errors, ...endpointAddressErrors(at, address)];
}

function domainErrors(path: string, address: string): FieldError[] {
  if (address === "") return [required(path)];
  const name = address.replace(/\.$/, "");
  const problems = subdomainProblems(name);
  if (problems.length > 0) return [invalid(path, name, problems.join(","))];
  if (!name.includes("."))
    return [invalid(path, name, "should be a domain with at least two segments separated by dots")];
  const label = name.split(".").find((part) => labelProblems(part).length > 0);
  return label === undefined ? [] : [invalid(path, label, labelProblems(label).join(","))];
}

function hintErrors(
  path: string,
  hints: readonly { name: string }[],
  problems: (name: string) => string[],
): FieldError[] {
  if (hints.length > mostHints) return [tooMany(path, hints.length, mostHints)];
  return hints.flatMap(({ name }, index) => {
    const at = `${path}[${index}].name`;
    const isRepeated = hints.findIndex((other) => other.name === name) < index;
    return [...(isRepeated ? [duplicate(at, name)] : []), ...each(at, name, problems(name))];
  });
}

const shown = 3;

function withMore(values: readonly string[]): string {
  const text = values.slice(0, shown).join(",");
  return values.length > shown ? `${text} + ${values.length - shown} more...` : text || "<unset>";
}

function column(name: string, description: string, value: (slice: EndpointSlice) => string): Column {
  return { name, type: "string", description, priority: 0, value: (object) => value(asA(object)) };
}

export const endpointSlices: ServedResource = served({
  group: "discovery.k8s.io",
  version: "v1",
  resource: "endpointslices",
  kind: "EndpointSlice",
  namespaced: true,
  schema,
  strategy,
  columns: [
    nameColumn,
    column("AddressType", "Of what sort the addresses are.", ({ addressType }) => addressType),
    column("Ports", "The ports of every endpoint.", ({ ports }) =>
      withMore((ports ?? []).map(({ port, name }) => (port === undefined ? (name ?? "*") : `${port}`))),
    ),
    column("Endpoints", "The first addresses.", ({ endpoints }) =>
      withMore((endpoints ?? []).flatMap(({ addresses }) => addresses ?? [])),
    ),
    ageColumn,
  ],
});
