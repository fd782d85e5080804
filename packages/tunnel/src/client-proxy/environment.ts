/** What the client proxy is told: nothing in it is secret, since the environment of a container can be read by many. */
import { isIP, isIPv4 } from "node:net";
import { ConfigurationError } from "@berg/kube/process";
import { type Peer, readPeer } from "../pair/certificate.ts";
import { environment as names } from "../vocabulary.ts";

export interface ClientProxySettings {
  peer: Peer;
  management: Subnet;
  controlPort: number;
  dataPort: number;
  /** It ends when no server proxy has been there for so long. */
  aloneMs: number;
}

export interface Subnet {
  address: string;
  prefix: number;
  family: "ipv4" | "ipv6";
}

export function readEnvironment(environment: NodeJS.ProcessEnv): ClientProxySettings {
  return {
    peer: readPeer(needed(environment, names.peer), names.peer),
    management: readSubnet(needed(environment, names.management)),
    controlPort: numberOf(environment, names.controlPort, 36_672, 65_535),
    dataPort: numberOf(environment, names.dataPort, 36_673, 65_535),
    aloneMs: numberOf(environment, names.aloneSeconds, 120, 86_400) * 1_000,
  };
}

function readSubnet(text: string): Subnet {
  const [, address = "", bits = ""] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  const family = isIPv4(address) ? "ipv4" : "ipv6";
  if (isIP(address) === 0 || Number(bits) > (family === "ipv4" ? 32 : 128))
    throw new ConfigurationError(
      `${names.management} is ${JSON.stringify(text)}, which is no subnet such as 10.203.0.0/29`,
    );
  return { address, prefix: Number(bits), family };
}

function needed(environment: NodeJS.ProcessEnv, name: string): string {
  const value = environment[name];
  if (!value) throw new ConfigurationError(`${name} is not set: the controller that starts this container sets it`);
  return value;
}

function numberOf(environment: NodeJS.ProcessEnv, name: string, otherwise: number, most: number): number {
  const text = environment[name];
  if (text === undefined || text === "") return otherwise;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= most))
    throw new ConfigurationError(`${name} is ${JSON.stringify(text)}, which is no number from 0 to ${most}`);
  return value;
}
