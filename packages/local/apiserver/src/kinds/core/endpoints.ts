/** Endpoints: what came before endpoint slices. No controller here makes them; they are for those who still read them. */
import { jsonEqual } from "@berg/apimachinery";
import { type FieldError, invalid, notSupported, required } from "../../errors/field-error.ts";
import { labelProblems, qualifiedNameProblems, subdomainProblems } from "../../schema/metadata/names.ts";
import { builtIn, inStoredForm } from "../built-in.ts";
import { addressWarnings, endpointAddressErrors } from "../checks/addresses.ts";
import { ipAddress } from "../checks/field-rules.ts";
import { portNumberProblems } from "../checks/names.ts";
import { ageColumn, column, nameColumn } from "../columns.ts";
import { always, atomicObject, choice, int32, kept, list, object, text } from "../shapes.ts";
import { objectReference } from "../workloads/shapes/references.ts";
import { protocols } from "./service/port-validation.ts";

interface Address {
  ip: string;
  hostname?: string;
  nodeName?: string;
}

interface Port {
  name?: string;
  port: number;
  protocol: string;
  appProtocol?: string;
}

interface Subset {
  addresses?: Address[];
  notReadyAddresses?: Address[];
  ports?: Port[];
}

interface Endpoints {
  subsets?: Subset[];
}

const address = atomicObject(
  { ip: always(text()), hostname: text(), nodeName: kept(text()), targetRef: objectReference },
  ["ip"],
);

const port = atomicObject(
  { name: text(), port: always(int32()), protocol: choice(...protocols), appProtocol: kept(text()) },
  ["port"],
);

const schema = object({
  subsets: list(object({ addresses: list(address), notReadyAddresses: list(address), ports: list(port) })),
});

export const endpoints = builtIn({
  resource: "endpoints",
  kind: "Endpoints",
  shortNames: ["ep"],
  schema,
  columns: [
    nameColumn,
    column("Endpoints", "The addresses that are ready.", (object) => showAddresses(object as Endpoints)),
    ageColumn,
  ],
  strategy: {
    createsOnUpdate: true,
    fillIn: inStoredForm(schema, (draft) => {
      for (const { ports = [] } of (draft as Endpoints).subsets ?? [])
        for (const port of ports) port.protocol ??= "TCP";
    }),
    validate(object, old) {
      const { subsets = [] } = object as Endpoints;
      const before = (old as Endpoints | undefined)?.subsets ?? [];
      return old && jsonEqual(subsets, before) ? [] : subsets.flatMap(subsetErrors);
    },
    warnings: (object) => [
      "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
      ...((object as Endpoints).subsets ?? []).flatMap(subsetWarnings),
    ],
  },
});

function subsetErrors({ addresses = [], notReadyAddresses = [], ports = [] }: Subset, i: number): FieldError[] {
  const at = `subsets[${i}]`;
  const errors: FieldError[] = [];
  if (addresses.length + notReadyAddresses.length === 0)
    errors.push(required(at, "must specify `addresses` or `notReadyAddresses`"));
  for (const [j, address] of addresses.entries()) errors.push(...hostErrors(address, `${at}.addresses[${j}]`));
  for (const [j, address] of notReadyAddresses.entries())
    errors.push(...hostErrors(address, `${at}.notReadyAddresses[${j}]`));
  for (const [j, port] of ports.entries()) errors.push(...portErrors(port, ports.length > 1, `${at}.ports[${j}]`));
  return errors;
}

function hostErrors({ ip, hostname, nodeName }: Address, at: string): FieldError[] {
  const errors = ipAddress(`${at}.ip`, ip);
  if (hostname) errors.push(...labelProblems(hostname).map((problem) => invalid(`${at}.hostname`, hostname, problem)));
  if (nodeName !== undefined)
    errors.push(...subdomainProblems(nodeName).map((problem) => invalid(`${at}.nodeName`, nodeName, problem)));
  return [...errors, ...endpointAddressErrors(`${at}.ip`, ip)];
}

function portErrors({ name = "", port, protocol, appProtocol }: Port, needsName: boolean, at: string): FieldError[] {
  const errors: FieldError[] = [];
  if (name !== "") errors.push(...labelProblems(name).map((problem) => invalid(`${at}.name`, name, problem)));
  else if (needsName) errors.push(required(`${at}.name`));
  errors.push(...portNumberProblems(port).map((problem) => invalid(`${at}.port`, port, problem)));
  if (!protocols.includes(protocol)) errors.push(notSupported(`${at}.protocol`, protocol, protocols));
  if (appProtocol !== undefined)
    errors.push(
      ...qualifiedNameProblems(appProtocol).map((problem) => invalid(`${at}.appProtocol`, appProtocol, problem)),
    );
  return errors;
}

function subsetWarnings({ addresses = [], notReadyAddresses = [] }: Subset, i: number): string[] {
  return [
    ...addresses.flatMap(({ ip }, j) => addressWarnings(`subsets[${i}].addresses[${j}].ip`, ip)),
    ...notReadyAddresses.flatMap(({ ip }, j) => addressWarnings(`subsets[${i}].notReadyAddresses[${j}].ip`, ip)),
  ];
}

/** The first three. */
function showAddresses({ subsets = [] }: Endpoints): string {
  if (subsets.length === 0) return "<none>";
  const shown: string[] = [];
  let count = 0;
  for (const { addresses = [], ports = [] } of subsets) {
    count += addresses.length * Math.max(ports.length, 1);
    // Not all of them are written out: there may be millions.
    const some = addresses.slice(0, 3);
    if (ports.length === 0) shown.push(...some.map(({ ip }) => ip));
    for (const { port } of ports.slice(0, 3))
      shown.push(...some.map(({ ip }) => (ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`)));
  }
  const first = shown.slice(0, 3).join(",");
  return count > 3 ? `${first} + ${count - 3} more...` : first;
}
