/** The body of a request, up to a limit. */
import type { IncomingMessage } from "node:http";
import { badRequest, requestTooLarge } from "../errors/refusals.ts";

/** Rejects with the refusal that the client gets. */
export function readBody(request: IncomingMessage, mostBytes: number): Promise<Buffer> {
  const tooLarge = requestTooLarge(`Request entity too large: limit is ${mostBytes}`);
  if (Number(request.headers["content-length"] ?? 0) > mostBytes) return Promise.reject(tooLarge);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const settle = (outcome: () => void) => {
      request.off("data", onData).off("end", onEnd).off("error", onClose).off("close", onClose);
      outcome();
    };
    const onData = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= mostBytes) return chunks.push(chunk);
      settle(() => reject(tooLarge));
      // The rest is thrown away, so that the client gets to read the answer.
      request.resume();
    };
    const onEnd = () => settle(() => resolve(Buffer.concat(chunks, bytes)));
    const onClose = () => settle(() => reject(badRequest("the body of the request ended before its end")));
    request.on("data", onData).on("end", onEnd).on("error", onClose).on("close", onClose);
  });
}
