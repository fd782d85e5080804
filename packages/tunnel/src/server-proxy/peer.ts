/** The client proxy of a pair: where it is, and by what it is known. */
import { isIP } from "node:net";
import { errorText } from "@berg/kube/process";
import { Code, ConnectError } from "@connectrpc/connect";
import { type Peer, readPeer } from "../pair/certificate.ts";
import type { ConnectRequest } from "../protocol/tunnel_pb.ts";

export interface ClientProxyPeer extends Peer {
  address: string;
  controlPort: number;
}

export function peerOf({ address, controlPort, certificate }: ConnectRequest): ClientProxyPeer {
  if (isIP(address) === 0) throw invalid(`address ${JSON.stringify(address)} is no IP address`);
  if (controlPort < 1 || controlPort > 65_535) throw invalid(`control_port ${controlPort} is no port (1–65535)`);
  try {
    return { address, controlPort, ...readPeer(certificate, "certificate") };
  } catch (error) {
    throw invalid(errorText(error));
  }
}

export function isSamePeer(one: ClientProxyPeer, other: ClientProxyPeer): boolean {
  const isSamePlace = one.address === other.address && one.controlPort === other.controlPort;
  return isSamePlace && one.certificate.raw.equals(other.certificate.raw);
}

function invalid(message: string): ConnectError {
  return new ConnectError(message, Code.InvalidArgument);
}
