/** Many connections that have had one answer and then stay, in a process of their own, until it is ended. */
import { connect } from "node:net";
import { inFlight } from "../instances/pace.ts";
import { report, settingsOf } from "../runtime/child.ts";
import type { Site } from "./contender.ts";

export interface HoldSettings extends Site {
  count: number;
}

export interface Held {
  open: number;
  /** Closed or reset by the other side. */
  refused: number;
  /** Neither answered nor refused. */
  hanging: number;
}

const atOnce = 50;
const patienceMs = 30_000;

const { host, port, count } = settingsOf<HoldSettings>();
const held: Held = { open: 0, refused: 0, hanging: 0 };
await inFlight(count, atOnce, async () => {
  held[await join()]++;
});
report(held);

function join(): Promise<keyof Held> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, noDelay: true });
    socket.setTimeout(patienceMs, () => {
      resolve("hanging");
      socket.destroy();
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve("refused"));
    socket.once("data", () => {
      socket.setTimeout(0);
      resolve("open");
    });
    socket.write("e?");
  });
}
