/**
 * Notices that the other end of a connection is dead. The kernel tells when a process ends; this is for one that is
 * there and does not answer, and for a way between the two that is blocked.
 */
import type { Http2Session } from "node:http2";
import type { Clock, Timer } from "@berg/kube/process";

const everyMs = 5_000;

/** Destroys it where a ping is not answered before the next is due. Ends with the connection. */
export function keepAlive(connection: Http2Session, clock: Clock): void {
  let isAnswered = true;
  let timer: Timer | undefined;
  connection.on("close", () => timer?.cancel());
  const ping = () => {
    if (connection.destroyed) return;
    if (!isAnswered) {
      connection.destroy(new Error(`no answer for ${everyMs / 1_000} s`));
      return;
    }
    isAnswered = false;
    connection.ping((error) => {
      isAnswered = error === null;
    });
    timer = clock.setTimer(everyMs, ping);
  };
  ping();
}
