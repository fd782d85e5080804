/** Which of all ports are open: `node scan.ts <address>` prints them as JSON. */
import { connect } from "node:net";

const [, , host = ""] = process.argv;
const lastPort = 65_535;
const atOnce = 300;
/** Closed ports answer at once; what has not answered by then is heard of at the next attempt. */
const patienceMs = 5_000;
const attempts = 3;

function attempt(port: number): Promise<"open" | "closed" | "unanswered"> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: patienceMs });
    const done = (how: "open" | "closed" | "unanswered") => {
      socket.destroy();
      resolve(how);
    };
    socket.on("connect", () => done("open"));
    socket.on("timeout", () => done("unanswered"));
    socket.on("error", ({ code }: NodeJS.ErrnoException) => done(code === "ECONNREFUSED" ? "closed" : "unanswered"));
  });
}

const open: number[] = [];
const unanswered: number[] = [];
let next = 1;
async function scanSome(): Promise<void> {
  while (next <= lastPort) {
    const port = next++;
    let how = await attempt(port);
    for (let again = 1; how === "unanswered" && again < attempts; again++) how = await attempt(port);
    if (how === "open") open.push(port);
    if (how === "unanswered") unanswered.push(port);
  }
}
await Promise.all(Array.from({ length: atOnce }, scanSome));
const inOrder = (ports: number[]) => ports.sort((a, b) => a - b);
process.stdout.write(JSON.stringify({ open: inOrder(open), unanswered: inOrder(unanswered) }));
