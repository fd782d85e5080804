/** What a pod says and is told while it runs: its log, and commands in it. */
import { badRequest, methodNotAllowed, refusal } from "../errors/refusals.ts";
import type { AnyStoredObject } from "../registry/resource.ts";
import type { Place } from "../registry/verbs.ts";
import { readFlag, readInteger, readText } from "../requests/address.ts";
import type { ExecOptions, LogOptions } from "./nodes.ts";
import type { Admitted } from "./parts.ts";
import { containerOf } from "./pod-container.ts";
import { carry, remoteCommandProtocol } from "./remote-command.ts";

export async function sendLog({ parts, exchange }: Admitted, place: Place): Promise<void> {
  if (exchange.method !== "GET") throw methodNotAllowed();
  const pod = await parts.verbs.get(place, {});
  const options = logOptions(pod, exchange.address.query);
  if (!parts.nodes) throw notOffered("log");
  const log = isPlaced(pod) ? await parts.nodes.podLogs(pod, options, exchange.signal) : undefined;
  const response = exchange.stream("text/plain");
  for await (const bytes of log ?? []) {
    if (response.destroyed) return;
    if (!response.write(bytes)) await new Promise((resolve) => response.once("drain", resolve).once("close", resolve));
  }
  response.end();
}

/** Over a WebSocket. Whoever may read a pod may not yet command it: it takes the right to create. */
export async function runCommand({ parts, exchange, caller }: Admitted, place: Place): Promise<void> {
  caller.checkMayCreate?.();
  parts.checkConnect?.(place, "exec", sentOptions(exchange.address.query), caller);
  const pod = await parts.verbs.get(place, {});
  const options = execOptions(pod, exchange.address.query);
  if (!isPlaced(pod)) throw badRequest(`pod ${place.name} does not have a host assigned`);
  if (!parts.nodes) throw notOffered("exec");
  if (!exchange.canUpgrade(remoteCommandProtocol)) throw badRequest("Upgrade request required");
  const session = await parts.nodes.exec(pod, options, exchange.signal);
  try {
    const socket = await exchange.upgrade(remoteCommandProtocol);
    await carry(socket, session, options, exchange.signal);
  } finally {
    session.close();
  }
}

function logOptions(pod: AnyStoredObject, query: URLSearchParams): LogOptions {
  const sinceTime = readText(query, "sinceTime");
  const tailLines = readInteger(query, "tailLines");
  const limitBytes = readInteger(query, "limitBytes");
  const sinceSeconds = readInteger(query, "sinceSeconds");
  return {
    container: containerOf(pod, readText(query, "container")),
    follow: readFlag(query, "follow"),
    previous: readFlag(query, "previous"),
    timestamps: readFlag(query, "timestamps"),
    ...(sinceTime !== undefined && { sinceTime }),
    ...(tailLines !== undefined && { tailLines }),
    ...(limitBytes !== undefined && { limitBytes }),
    ...(sinceSeconds !== undefined && { sinceSeconds }),
  };
}

/** As a PodExecOptions says it: what is false is not said. */
function sentOptions(query: URLSearchParams): object {
  const container = readText(query, "container");
  const flags = ["stdin", "stdout", "stderr", "tty"].filter((name) => readFlag(query, name));
  const command = query.getAll("command");
  return {
    ...Object.fromEntries(flags.map((name) => [name, true])),
    ...(container && { container }),
    command: command.length > 0 ? command : null,
  };
}

function execOptions(pod: AnyStoredObject, query: URLSearchParams): ExecOptions {
  const command = query.getAll("command");
  const options = {
    container: containerOf(pod, readText(query, "container")),
    command,
    stdin: readFlag(query, "stdin"),
    stdout: readFlag(query, "stdout"),
    stderr: readFlag(query, "stderr"),
    tty: readFlag(query, "tty"),
  };
  if (command.length === 0) throw badRequest("you must specify at least 1 command for the container");
  if (!options.stdin && !options.stdout && !options.stderr)
    throw badRequest("you must specify at least 1 of stdin, stdout, stderr");
  return options;
}

function isPlaced(pod: AnyStoredObject): boolean {
  return Boolean((pod as { spec?: { nodeName?: string } }).spec?.nodeName);
}

function notOffered(what: string) {
  return refusal(501, "NotImplemented", `this server does not offer pods/${what}`, { kind: "pods" });
}
