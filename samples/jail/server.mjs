// Calculates what it is told, in a world with nothing in it; but what is in it was made outside.
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { createContext, runInContext } from "node:vm";

function welcome(socket) {
  socket.on("error", () => socket.destroy());
  const world = createContext({ Math });
  socket.write("Welcome to the jail. I calculate, and nothing else.\n> ");
  const lines = createInterface({ input: socket });
  lines.on("error", () => socket.destroy());
  lines.on("line", (line) => socket.write(`${calculated(line.slice(0, 1000), world)}\n> `));
}

// The second port is reached through TLS, which the gateway takes off.
for (const port of [1337, 1338]) {
  createServer(welcome).listen(port, () => console.log(`the jail is open at port ${port}`));
}

function calculated(line, world) {
  try {
    return String(runInContext(line, world, { timeout: 2000 }));
  } catch (error) {
    return String(error?.message ?? "no");
  }
}

process.on("SIGTERM", () => process.exit(0));
