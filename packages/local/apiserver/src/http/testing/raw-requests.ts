/** Requests as bytes on the wire, for what no well-behaved client would send. Each on a connection of its own. */
import { request } from "node:https";

export interface Target {
  url: string;
  caPem: string;
  token?: string;
}

export interface RawRequest {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

export interface RawAnswer {
  code: number;
  headers: Record<string, string | string[] | undefined>;
  bytes: Buffer;
  text: string;
}

export function send({ url, caPem, token }: Target, { method = "GET", path, headers = {}, body }: RawRequest) {
  const { hostname, port } = new URL(url);
  return new Promise<RawAnswer>((resolve, reject) => {
    const outgoing = request({
      host: hostname,
      port,
      method,
      path,
      ca: caPem,
      agent: false,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        "user-agent": "test/1",
        // Node would send the body of a delete without saying how long it is.
        ...(body !== undefined && { "content-length": Buffer.byteLength(body) }),
        ...headers,
      },
    });
    outgoing.on("error", reject);
    outgoing.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const bytes = Buffer.concat(chunks);
        resolve({ code: response.statusCode ?? 0, headers: response.headers, bytes, text: bytes.toString() });
      });
    });
    outgoing.end(body);
  });
}
