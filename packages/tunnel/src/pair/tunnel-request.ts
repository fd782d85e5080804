/** What may be asked of a tunnel, and whether two ask for the same. Pure. */
import { isIP } from "node:net";
import { create, equals } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { LimitsSchema, type PrepareTunnelRequest, PrepareTunnelRequestSchema } from "../protocol/tunnel_pb.ts";
import type { TunnelLimits } from "../streams/index.ts";

/** With the defaults filled in; throws what is wrong with it, and what would be right. */
export function completeRequest(request: PrepareTunnelRequest): PrepareTunnelRequest {
  const { tunnelId, name, serverAddress = "", serverPort, clientProxyAddress, clientProxyPort } = request;
  if (tunnelId === 0) throw invalid("tunnel_id 0 means none: give each tunnel a number of its own, from 1");
  if (name === "") throw invalid(`tunnel ${tunnelId} has no name: give it one, so that it can be found in the logs`);
  const of = `tunnel ${JSON.stringify(name)}`;
  if (serverAddress !== "" && !/^[\w.:%-]{1,253}$/.test(serverAddress))
    throw invalid(`${of}: server_address ${JSON.stringify(serverAddress)} is neither a host name nor an address`);
  if (serverPort < 1 || serverPort > 65_535) throw invalid(`${of}: server_port ${serverPort} is no port (1–65535)`);
  if (clientProxyAddress !== "" && isIP(clientProxyAddress) === 0)
    throw invalid(
      `${of}: client_proxy_address ${JSON.stringify(clientProxyAddress)} is no address: leave it out for every one`,
    );
  if (clientProxyPort > 65_535)
    throw invalid(`${of}: client_proxy_port ${clientProxyPort} is no port (1–65535, or 0 for any)`);
  return create(PrepareTunnelRequestSchema, {
    ...request,
    serverAddress: serverAddress || "localhost",
    limits: request.limits ?? create(LimitsSchema),
  });
}

export function isSameRequest(one: PrepareTunnelRequest, other: PrepareTunnelRequest): boolean {
  return equals(PrepareTunnelRequestSchema, one, other);
}

/** `"db" to localhost:5432 on any port`. */
export function describeRequest(request: PrepareTunnelRequest): string {
  const { name, serverAddress, serverPort, clientProxyAddress, clientProxyPort } = request;
  const at = `${clientProxyAddress && ` of ${clientProxyAddress}`}${limitsText(limitsOf(request))}`;
  const port = clientProxyPort === 0 ? "any port" : `port ${clientProxyPort}`;
  return `${JSON.stringify(name)} to ${serverAddress}:${serverPort} on ${port}${at}`;
}

export function limitsOf({ limits }: PrepareTunnelRequest): TunnelLimits {
  const { streams = 0, bytesPerSecond = 0n, idleSeconds = 0 } = limits ?? {};
  return { streams, bytesPerSecond: Number(bytesPerSecond), idleSeconds };
}

function limitsText({ streams, bytesPerSecond, idleSeconds }: TunnelLimits): string {
  const texts = [
    ...(streams > 0 ? [`${streams} streams`] : []),
    ...(bytesPerSecond > 0 ? [`${bytesPerSecond} bytes/s`] : []),
    ...(idleSeconds > 0 ? [`${idleSeconds} s idle`] : []),
  ];
  return texts.length > 0 ? ` (at most ${texts.join(", ")})` : "";
}

function invalid(message: string): ConnectError {
  return new ConnectError(message, Code.InvalidArgument);
}
