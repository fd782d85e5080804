/** Requests to a real API server with any body at all, also such as no client would send. */
import { request } from "node:https";
import type { Status } from "@berg/apimachinery";

export interface Answer {
  code: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at what they expect
  body: any;
}

export type Ask = (method: string, path: string, body?: unknown, type?: string) => Promise<Answer>;

export function asking({ server, token }: { server: string; token: string }): Ask {
  return (method, path, body, type = "application/json") =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, "content-type": type };
      // The certificate is made anew at each start; who is asked is known from the port.
      const sent = request(server + path, { method, headers, rejectUnauthorized: false }, (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.on("end", () => {
          const text = Buffer.concat(parts).toString();
          const isJson = response.headers["content-type"]?.includes("json");
          resolve({ code: response.statusCode ?? 0, body: isJson ? JSON.parse(text) : text });
        });
      });
      sent.on("error", reject);
      sent.end(typeof body === "string" ? body : JSON.stringify(body));
    });
}

/** Go goes through maps in any order, so that causes are compared without theirs. */
export function causesOf({ body }: Answer): string[] {
  const causes = (body as Status).details?.causes ?? [];
  return causes.map(({ reason, field, message }) => `${reason} ${field}: ${message}`).sort();
}
