/**
 * The gateway and the NodePorts on a thread of their own: what players download does not wait for the API server, which
 * has its busy moments, nor it for them; and what goes wrong there ends connections, not this process. The thread watches
 * the API server by itself, as on a machine of its own: nothing has to be told to it but who the API server is.
 */
import { type Clock, type Connection, errorText, type Logger, systemClock } from "@berg/kube";
import type { CertificateFor } from "../proxy/certificate-contexts.ts";
import type { Limits } from "../proxy/limits.ts";
import { KeptThread } from "./kept-thread.ts";
import type { FromThread, ThreadData, ToThread } from "./messages.ts";

export interface GatewayThreadOptions {
  /** It must not change: the thread keeps what it is told at the start. */
  connection: Connection;
  log: Logger;
  /** Where ports are opened; 127.0.0.1 unless told otherwise. */
  host?: string;
  /** For listeners that end TLS and name no Secret. Asked on the starter's thread. */
  certificateFor?: CertificateFor;
  limits?: Partial<Limits>;
  clock?: Clock;
}

/**
 *     await using gateway = await startGatewayThread({ connection: apiServer.connection, log, certificateFor });
 */
export async function startGatewayThread(options: GatewayThreadOptions): Promise<AsyncDisposable> {
  const { connection, log, host = "127.0.0.1", certificateFor, limits = {}, clock = systemClock } = options;
  const { server, namespace } = connection;
  const [tls, authorization] = await Promise.all([connection.tls(), connection.authorization()]);
  const issuesCertificates = certificateFor !== undefined;
  const data: ThreadData = { server, namespace, tls, authorization, host, limits, issuesCertificates };
  const thread = new KeptThread({
    file: new URL("./thread.ts", import.meta.url),
    data,
    onMessage: (message, reply) => void onMessage(message as FromThread, reply),
    clock,
    log,
  });
  await thread.start();
  return thread;

  async function onMessage(message: FromThread, reply: (message: ToThread) => void): Promise<void> {
    if ("log" in message) return log[message.log](message.fields, message.message);
    const { certificate, hostname } = message;
    try {
      if (!certificateFor) throw new Error("no certificates are made here");
      const { cert, key } = await certificateFor(hostname);
      reply({ certificate, pair: { cert, key } });
    } catch (error) {
      reply({ certificate, problem: errorText(error) });
    }
  }
}
