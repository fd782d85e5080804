import { randomInt } from "node:crypto";
import { createServer } from "node:net";

// Below the range that Linux and macOS give to outgoing connections: one of those could take the port of an API server
// while a test has it stopped.
const lowest = 20_000;
const highest = 29_999;

/** A port of 127.0.0.1 that was free a moment ago; whoever binds it must be ready to ask for another. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(lowest, highest + 1);
    if (await isFree(port)) return port;
  }
  throw new Error(`cannot find a free port between ${lowest} and ${highest} on 127.0.0.1`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
