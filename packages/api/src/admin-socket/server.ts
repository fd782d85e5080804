/**
 * The commands of `berg admin` for a running API, over a unix socket that only its owner can open: whoever can, could
 * open the database as well. One command a request: `POST /` with the command as JSON.
 */
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { json } from "node:stream/consumers";
import { errorText, type Logger } from "@berg/kube";
import type { AccountDeps } from "../players/accounts.ts";
import { ProblemError } from "../problems.ts";
import { adminCommand, runAdminCommand } from "./commands.ts";

/** Linux has room for 108 bytes, others for less. */
export const longestSocketPath = 100;

export async function startAdminSocket(path: string, deps: AccountDeps, log: Logger): Promise<AsyncDisposable> {
  if (Buffer.byteLength(path) > longestSocketPath) {
    log.warn(
      { path, longest: longestSocketPath },
      "berg admin cannot reach this process: the path of its socket is too long",
    );
    return { async [Symbol.asyncDispose]() {} };
  }
  const server = createServer((request, response) => {
    void answer(deps, request, log).then(({ status, body }) => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
  });
  // Of a process that was killed: the data directory has one user at a time.
  await rm(path, { force: true });
  await listenPrivately(server, path);
  return {
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** With the mode 0600 from the first moment. The file is created before `listen` returns. */
async function listenPrivately(server: Server, path: string): Promise<void> {
  const before = process.umask(0o177);
  try {
    server.listen(path);
  } finally {
    process.umask(before);
  }
  await once(server, "listening");
}

async function answer(
  deps: AccountDeps,
  request: IncomingMessage,
  log: Logger,
): Promise<{ status: number; body: unknown }> {
  try {
    const body: unknown = await json(request);
    refuseUnknown(body);
    const { success, data, error } = adminCommand.safeParse(body);
    if (!success) throw new ProblemError("invalid_request", error.issues.map(({ message }) => message).join("; "));
    return { status: 200, body: await runAdminCommand(deps, data) };
  } catch (error) {
    if (error instanceof ProblemError) return { status: error.problem.status, body: error.problem };
    log.error({ error: errorText(error) }, "a command of berg admin failed");
    const { problem } = new ProblemError("internal_error", "The command failed; the log of the API says why.");
    return { status: problem.status, body: problem };
  }
}

function refuseUnknown(body: unknown): void {
  const { command } = (body ?? {}) as { command?: unknown };
  if (adminCommand.options.some(({ shape }) => shape.command.value === command)) return;
  const detail = `The running API has no command "${String(command)}": it is older than the command line. Restart it.`;
  throw new ProblemError("not_found", detail);
}
