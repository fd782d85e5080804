/** The two that are compared: API servers alone, with no controller beside them that would write at its own pace. */

import type { Connection } from "@berg/kube";
import { startApiServer } from "@berg/local-apiserver";
import { missingControlPlane, startControlPlane } from "@berg/test";
import { type Answer, type Ask, openWire } from "../contract/wire.ts";

export interface Server extends AsyncDisposable {
  readonly name: string;
  readonly ask: Ask;
}

export async function startReal(): Promise<Server> {
  const missing = await missingControlPlane();
  if (missing) throw new Error(`no real Kubernetes to compare with: ${missing}`);
  const controlPlane = await startControlPlane({ controllerManager: false, scheduler: false });
  return server("real", controlPlane.connection, controlPlane);
}

export async function startEmbedded(): Promise<Server> {
  const apiServer = await startApiServer({ dataDir: ":memory:" });
  return server("ours", apiServer.connection, apiServer);
}

/** A server that cannot answer and hangs up has said something, too. */
function hungUp(error: NodeJS.ErrnoException): Answer {
  if (error.code !== "ECONNRESET") throw error;
  return { code: 0, headers: {}, text: "hung up", warnings: [], body: undefined };
}

async function server(name: string, connection: Connection, process: AsyncDisposable): Promise<Server> {
  const { ask, close } = await openWire(connection);
  return {
    name,
    ask: (method, path, asking) =>
      ask(method, path, { ...asking, headers: { "user-agent": "differential/1", ...asking?.headers } }).catch(hungUp),
    async [Symbol.asyncDispose]() {
      close();
      await process[Symbol.asyncDispose]();
    },
  };
}
