/** Runs the gateway and the NodePorts. Started by gateway-thread.ts. */
import { parentPort, workerData } from "node:worker_threads";
import { type Connection, createClient, type Logger, unlimited } from "@berg/kube";
import { startGateway } from "../control/gateway.ts";
import { startNodePorts } from "../node-ports/node-ports.ts";
import type { CertificatePair } from "../proxy/certificate-contexts.ts";
import type { FromThread, LogLevel, ThreadData, ToThread } from "./messages.ts";

const { server, namespace, tls, authorization, host, limits, issuesCertificates } = workerData as ThreadData;
const asked = new Map<number, PromiseWithResolvers<CertificatePair>>();
let numberOfAsked = 0;
const stopping = Promise.withResolvers<void>();

parentPort?.on("message", (message: ToThread) => {
  if (message === "stop") return stopping.resolve();
  const waiting = asked.get(message.certificate);
  asked.delete(message.certificate);
  if ("pair" in message) waiting?.resolve(message.pair);
  else waiting?.reject(new Error(message.problem));
});

const log = logWith({});
const connection: Connection = {
  server,
  namespace,
  tls: async () => tls,
  authorization: async () => authorization,
  refused() {},
};
const client = createClient({ connection, component: "gateway", rate: unlimited, log });
const gateway = await startGateway({ client, host, log, limits, ...(issuesCertificates && { certificateFor }) });
const nodePorts = await startNodePorts({ client, host, log, limits });
say("ready");
// What fails ends this thread, and another begins.
await Promise.race([stopping.promise, gateway.failed, nodePorts.failed]);
await Promise.all([gateway.stop(), nodePorts.stop()]);
await client.close();
parentPort?.close();

function certificateFor(hostname: string): Promise<CertificatePair> {
  const certificate = numberOfAsked++;
  const waiting = Promise.withResolvers<CertificatePair>();
  asked.set(certificate, waiting);
  say({ certificate, hostname });
  return waiting.promise;
}

function logWith(more: object): Logger {
  const at = (level: LogLevel) => (fields: object, message: string) =>
    say({ log: level, fields: { ...more, ...fields }, message });
  return {
    ...{ debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") },
    child: (fields) => logWith({ ...more, ...fields }),
  };
}

function say(message: FromThread | "ready"): void {
  parentPort?.postMessage(message);
}
