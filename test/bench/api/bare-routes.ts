/** A bare Fastify server that returns what the API answered once. It has no hooks, sessions or schemas. */
import type { AddressInfo } from "node:net";
import Fastify from "fastify";
import { report, settingsOf } from "../runtime/child.ts";
import { Connection, type Target } from "./connection.ts";

export interface BareRoutesSettings {
  /** Where the API is. */
  target: Target;
  headers: Record<string, string>;
  paths: readonly string[];
}

const { target, headers, paths } = settingsOf<BareRoutesSettings>();
using connection = await Connection.open(target);
const app = Fastify();
for (const path of paths) {
  const text = (await connection.send({ method: "GET", path, headers })).toString();
  if (path.startsWith("/api/")) {
    const answer = JSON.parse(text) as object;
    app.get(path, async () => answer);
  } else {
    app.get(path, async (_, reply) => reply.type("text/html; charset=utf-8").send(text));
  }
}
await app.listen({ host: "127.0.0.1", port: 0 });
const { port } = app.server.address() as AddressInfo;
report({ port, host: `127.0.0.1:${port}` } satisfies Target);
