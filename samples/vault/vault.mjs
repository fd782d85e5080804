// The vault: runs the check that it is asked for. Any check.
import { execFile } from "node:child_process";
import { createServer } from "node:http";

createServer((request, response) => {
  const { searchParams } = new URL(request.url ?? "/", "http://vault");
  const [program = "", ...args] = (searchParams.get("check") ?? "").split(" ");
  execFile(program, args, { timeout: 2000, env: {} }, (error, output) =>
    response.end(error && !output ? `The check failed: ${error.message}\n` : output),
  );
}).listen(9000, () => console.log("the vault is open at port 9000"));

process.on("SIGTERM", () => process.exit(0));
