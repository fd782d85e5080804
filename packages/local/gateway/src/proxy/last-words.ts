/** The end of a connection, from the moment when there is one thing left to say. */
import type { Socket } from "node:net";
import type { Clock } from "@berg/kube";
import type { Limits } from "./limits.ts";

/**
 * Where the last words to a client go. What it still sends is read and dropped: closed at once, it might never see them.
 * Once they are said it has a while to close its side, too, and is then closed.
 *
 *     lastWords(client, { clock, limits }).end("bye")
 */
export function lastWords(client: Socket, { clock, limits }: { clock: Clock; limits: Limits }): Socket {
  const close = () => client.destroy();
  client.setTimeout(limits.idleMs, close);
  client.once("finish", () => {
    const timer = clock.setTimer(limits.headerMs, close);
    client.once("close", () => timer.cancel());
  });
  return client.resume();
}
