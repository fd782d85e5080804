/** A program for tests of how programs are packed: says who it is in one line, and waits to be ended. */
import { createServer } from "node:net";
import { errorText } from "@berg/kube";

process.stdout.write(`${JSON.stringify({ arguments: process.argv.slice(2), text: errorText(new Error("packed")) })}\n`);
const open = createServer().listen(0);
process.on("SIGTERM", () => open.close());
if (process.argv.includes("--end")) open.close();
