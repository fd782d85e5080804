/** Turns whatever a route throws into a problem document. What is not meant for clients is logged, and not answered. */
import type { Socket } from "node:net";
import { StatusError } from "@berg/apimachinery";
import { DatabaseError } from "@berg/database";
import { ConnectionError, errorText, type Logger, stackOf } from "@berg/kube";
import type { FastifyError, FastifyInstance, FastifyReply } from "fastify";
import { hasZodFastifySchemaValidationErrors } from "fastify-type-provider-zod";
import { type ProblemCode, ProblemError, problemCodes } from "../problems.ts";
import type { Problem } from "../wire.ts";

declare module "fastify" {
  interface FastifyReply {
    /** Of the problem that was answered, if it was one. */
    problemCode: ProblemCode | undefined;
  }
}

/** Seconds. */
const retryAfter = 2;

export function addErrorHandler(app: FastifyInstance, log: Logger): void {
  app.decorateReply("problemCode", undefined);
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const { problem } = problemOf(error);
    if (problem.status >= 500) {
      const fields = { route: request.routeOptions.url, error: errorText(error), stack: stackOf(error) };
      log.error({ ...fields, code: problem.code }, "a request failed");
    }
    return sendProblem(reply, problem);
  });
}

export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  reply.problemCode = problem.code as ProblemCode;
  if (problem.retryAfter !== undefined) reply.header("retry-after", problem.retryAfter);
  if (problem.status === 401) reply.header("www-authenticate", "Bearer");
  if (problem.code === "role_required") reply.header("www-authenticate", 'Bearer error="insufficient_access"');
  // As text: the schemas of routes describe their own answers only.
  return reply
    .status(problem.status)
    .header("content-type", "application/problem+json; charset=utf-8")
    .serializer((text: unknown) => text as string)
    .send(JSON.stringify(problem));
}

export const unreadableUrl = new ProblemError("invalid_request", "The path has a % that escapes no character.");

/** By the code of Node's error. */
const unreadable: Record<string, { code: ProblemCode; detail: string }> = {
  HPE_HEADER_OVERFLOW: {
    code: "headers_too_large",
    detail: "A request may have up to 16 kB of headers, with its URL.",
  },
  ERR_HTTP_REQUEST_TIMEOUT: { code: "request_timeout", detail: "The request did not arrive in time. Send it again." },
};

/** Answers what Node could not read as a request, or not in time, and closes the connection. */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const { code, detail } = unreadable[error.code ?? ""] ?? {
    code: "invalid_request" as const,
    detail: "It is not a valid HTTP request.",
  };
  const body = JSON.stringify(new ProblemError(code, detail).problem);
  const { status, title } = problemCodes[code];
  const head = `HTTP/1.1 ${status} ${title}\r\nContent-Type: application/problem+json; charset=utf-8\r\n`;
  // Destroyed as well: a client that never closes its side would hold the connection.
  socket.end(`${head}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`, () =>
    socket.destroy(),
  );
}

function problemOf(error: FastifyError): ProblemError {
  if (error instanceof ProblemError) return error;
  if (hasZodFastifySchemaValidationErrors(error)) return invalid(error.validation[0]);
  if (error instanceof DatabaseError && (error.isUnavailable || error.isRetryable)) {
    return new ProblemError("database_unavailable", "Try again in a moment.", { retryAfter });
  }
  if (
    error instanceof ConnectionError ||
    isTimeout(error) ||
    (error instanceof StatusError && isTransient(error.code))
  ) {
    return new ProblemError("kubernetes_unavailable", "Try again in a moment.", { retryAfter });
  }
  switch (error.statusCode) {
    case 413:
      return new ProblemError("body_too_large", "A request may have up to 64 kB.");
    case 415:
      return new ProblemError("body_not_json", 'Send JSON, with the header "Content-Type: application/json".');
    case 400:
      return new ProblemError("invalid_request", "The body is not valid JSON.");
    default:
      return new ProblemError(
        "internal_error",
        "It is not your fault. Try again, and tell the organiser if it happens again.",
      );
  }
}

function invalid(issue: { instancePath: string; message?: string | undefined } | undefined): ProblemError {
  const field = issue?.instancePath.replace(/^\//, "").replaceAll("/", ".");
  const detail = `${field || "The body"}: ${issue?.message ?? "it is not valid"}`;
  return new ProblemError("invalid_request", detail, field ? { field } : {});
}

/** Of `AbortSignal.timeout`, which bounds requests to Kubernetes. */
function isTimeout(error: Error): boolean {
  return error.name === "TimeoutError";
}

function isTransient(status: number): boolean {
  return status === 429 || status >= 500;
}
