/** Asks a running API. */
import { request } from "node:http";
import { json } from "node:stream/consumers";
import type { Problem } from "../wire.ts";
import type { AdminAnswer, AdminCommand } from "./commands.ts";

const timeoutMs = 30_000;

/** Undefined where nothing listens. Throws an error with the text of the problem where the command is refused. */
export async function askRunningApi(path: string, command: AdminCommand): Promise<AdminAnswer | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<AdminAnswer | undefined>();
  const outgoing = request({ socketPath: path, method: "POST", path: "/", timeout: timeoutMs }, (incoming) => {
    json(incoming).then((body) => {
      if (incoming.statusCode === 200) resolve(body as AdminAnswer);
      else reject(new Error((body as Problem).detail));
    }, reject);
  });
  outgoing.on("timeout", () => outgoing.destroy(new Error(`the API does not answer on ${path}`)));
  outgoing.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ECONNREFUSED") resolve(undefined);
    else reject(error);
  });
  outgoing.end(JSON.stringify(command));
  return promise;
}
