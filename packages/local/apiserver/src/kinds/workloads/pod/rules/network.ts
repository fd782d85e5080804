/** Names and addresses of a pod: DNS, host names, host ports. */

import { type FieldError, forbidden, invalid, required, tooLong } from "../../../../errors/field-error.ts";
import { subdomainProblems } from "../../../../schema/metadata/names.ts";
import { each, ipAddress } from "../../../checks/field-rules.ts";
import { searchPathProblems } from "../../../checks/names.ts";
import type { PodSpec } from "../../types.ts";

/** What a resolver reads of its configuration, and no more. */
const mostServers = 3;
const mostSearches = 32;
const longestSearches = 2048;
const longestHostname = 64;

export function dns(path: string, { dnsConfig, dnsPolicy }: PodSpec): FieldError[] {
  if (dnsPolicy === "None") {
    if (!dnsConfig) return [required(path, "must provide `dnsConfig` when `dnsPolicy` is None")];
    if (!dnsConfig.nameservers)
      return [required(`${path}.nameservers`, "must provide at least one DNS nameserver when `dnsPolicy` is None")];
  }
  const { nameservers = [], searches = [], options = [] } = dnsConfig ?? {};
  const errors: FieldError[] = [];
  if (nameservers.length > mostServers)
    errors.push(invalid(`${path}.nameservers`, nameservers, `must not have more than ${mostServers} nameservers`));
  for (const [index, server] of nameservers.entries())
    errors.push(...ipAddress(`${path}.nameservers[${index}]`, server));
  if (searches.length > mostSearches)
    errors.push(invalid(`${path}.searches`, searches, `must not have more than ${mostSearches} search paths`));
  if (searches.join(" ").length > longestSearches) {
    const text = `must not have more than ${longestSearches} characters (including spaces) in the search list`;
    errors.push(invalid(`${path}.searches`, searches, text));
  }
  for (const [index, search] of searches.entries()) {
    const name = search.replace(/\.$/, "");
    if (search !== ".") errors.push(...each(`${path}.searches[${index}]`, name, searchPathProblems(name)));
  }
  for (const [index, { name }] of options.entries())
    if (!name) errors.push(required(`${path}.options[${index}]`, "must not be empty"));
  return errors;
}

export function hostAliases(path: string, { hostAliases: list = [] }: PodSpec): FieldError[] {
  return list.flatMap(({ ip, hostnames = [] }, index) => [
    ...ipAddress(`${path}[${index}].ip`, ip),
    ...hostnames.flatMap((name, number) =>
      each(`${path}[${index}].hostnames[${number}]`, name, subdomainProblems(name)),
    ),
  ]);
}

export function hostnameOverride(path: string, spec: PodSpec): FieldError[] {
  const { hostnameOverride: name } = spec;
  if (name === undefined) return [];
  const errors: FieldError[] = [];
  if (spec.setHostnameAsFQDN) errors.push(forbidden(path, "may not be specified when setHostnameAsFQDN is true"));
  if (spec.hostNetwork) errors.push(forbidden(path, "may not be specified when hostNetwork is true"));
  if (Buffer.byteLength(name) > longestHostname) errors.push(tooLong(path, longestHostname));
  return [...errors, ...each(path, name, subdomainProblems(name))];
}

/** On the network of the node, a port is the node's. A template may leave that to be filled in. */
export function portsOfNode(path: string, spec: PodSpec, { isPod }: { isPod: boolean }): FieldError[] {
  if (!spec.hostNetwork) return [];
  return (spec.containers ?? []).flatMap(({ ports = [] }, index) =>
    ports.flatMap(({ containerPort, hostPort = 0 }, number) => {
      if (hostPort === containerPort || (hostPort === 0 && !isPod)) return [];
      const at = `${path}[${index}].ports[${number}].hostPort`;
      return [invalid(at, hostPort, "must match `containerPort` when `hostNetwork` is true")];
    }),
  );
}
