/** A controller in a process of its own, for tests that kill it. What it needs comes as one line of JSON on stdin. */
import { once } from "node:events";
import { createClient, silentLogger, type TlsMaterial, unlimited } from "@berg/kube";
import { connectEngine } from "@berg/local-engine";
import { startTunnelController } from "../tunnel-controller.ts";

export interface ControllerProcessOptions {
  server: string;
  tls: TlsMaterial;
  authorization: string | undefined;
  engineSocket: string;
  directory: string;
  node: string;
}

const [line] = await once(process.stdin, "data");
const { server, tls, authorization, engineSocket, ...rest }: ControllerProcessOptions = JSON.parse(String(line));
const connection = {
  ...{ server, namespace: "default", refused() {} },
  tls: async () => tls,
  authorization: async () => authorization,
};
const client = createClient({ connection, component: "tunnels", rate: unlimited });
await startTunnelController({
  ...rest,
  client,
  engine: connectEngine(engineSocket),
  version: "0.1.0",
  log: silentLogger,
});
