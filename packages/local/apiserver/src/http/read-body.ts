/** Reads the body of a request, up to a limit. */
import type { IncomingMessage } from "node:http";
import { badRequest, requestTooLarge } from "../errors/refusals.ts";

/** Rejects with the refusal that the client gets. `onBytes` may throw one: then no more is kept. */
export function readBody(
  request: IncomingMessage,
  mostBytes: number,
  onBytes: (bytes: number) => void = () => {},
): Promise<Buffer> {
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
      try {
        bytes += chunk.length;
        if (bytes > mostBytes) throw tooLarge;
        onBytes(chunk.length);
        chunks.push(chunk);
      } catch (error) {
        settle(() => reject(error));
        // The rest is thrown away, so that the client gets to read the answer.
        request.resume();
      }
    };
    const onEnd = () => settle(() => resolve(Buffer.concat(chunks, bytes)));
    const onClose = () => settle(() => reject(badRequest("the body of the request ended before its end")));
    request.on("data", onData).on("end", onEnd).on("error", onClose).on("close", onClose);
  });
}
