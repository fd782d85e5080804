/**
 * Opens many connections, says nothing on any of them, and never lets go: `node crowd.ts <address> <port> <how many> <of them at once>`.
 * Each line on stdout says how it stands with them. Killed, it is gone with all of them at once.
 */
import { connect } from "node:net";

const [, , host = "", port = "", howMany = "", atOnce = ""] = process.argv;
const reportEveryMs = 200;

const counts = { tried: 0, open: 0, refused: 0 };

function enter(): Promise<void> {
  return new Promise((resolve) => {
    let isIn = false;
    const socket = connect({ host, port: Number(port) });
    socket.on("connect", () => {
      isIn = true;
      counts.open++;
      resolve();
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      if (isIn) counts.open--;
      counts.refused++;
      resolve();
    });
    socket.resume();
  });
}

async function enterInTurn(): Promise<void> {
  while (counts.tried < Number(howMany)) {
    counts.tried++;
    await enter();
  }
}

setInterval(() => process.stdout.write(`${JSON.stringify(counts)}\n`), reportEveryMs);
void Promise.all(Array.from({ length: Number(atOnce) }, enterInTurn));
