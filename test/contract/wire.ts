/**
 * Requests as they go over the wire, for what a typed client hides: media types, headers, warnings, broken bodies, and
 * answers in forms that our client never asks for.
 */
import { Agent, type RequestOptions, request } from "node:https";
import type { Status } from "@berg/apimachinery";
import type { Connection } from "@berg/kube";

export interface Asking {
  /** Sent as JSON, unless it is text or bytes already. */
  body?: unknown;
  /** The media type of the body. JSON unless told otherwise. */
  type?: string;
  accept?: string;
  headers?: Record<string, string>;
}

export interface Answer {
  code: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** The texts of the `Warning` headers. */
  warnings: string[];
  // biome-ignore lint/suspicious/noExplicitAny: checks look into answers of every shape.
  body: any;
}

/** `ask("GET", "/api/v1/namespaces")` */
export type Ask = (method: string, path: string, asking?: Asking) => Promise<Answer>;

export async function openWire(connection: Connection): Promise<{ ask: Ask; close(): void }> {
  const agent = new Agent({ ...(await connection.tls()), keepAlive: true });
  const { hostname, port } = new URL(connection.server);
  const ask: Ask = async (method, path, asking = {}) => {
    const body = encode(asking.body);
    const authorization = await connection.authorization();
    return send(
      {
        ...{ agent, hostname, port, method, path },
        headers: {
          accept: asking.accept ?? "application/json",
          ...(authorization && { authorization }),
          ...(body && { "content-type": asking.type ?? "application/json", "content-length": body.length }),
          ...asking.headers,
        },
      },
      body,
    );
  };
  return { ask, close: () => agent.destroy() };
}

function encode(body: unknown): Buffer | undefined {
  if (body === undefined || body instanceof Buffer) return body;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}

function send(options: RequestOptions, body: Buffer | undefined): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sending = request(options, async (response) => {
      try {
        const text = Buffer.concat(await response.toArray()).toString();
        const { statusCode: code = 0, headers } = response;
        const isJson = headers["content-type"]?.includes("json");
        resolve({
          code,
          headers,
          text,
          warnings: warningsIn(headers.warning),
          body: isJson ? parsed(text) : undefined,
        });
      } catch (error) {
        reject(error);
      }
    });
    sending.on("error", reject);
    sending.end(body);
  });
}

/** A watch is one document a line. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  }
}

/** `299 - "unknown field \"x\""`, several in one header. */
function warningsIn(header: unknown): string[] {
  return [...String(header ?? "").matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, text = ""]) =>
    text.replace(/\\(.)/g, "$1"),
  );
}

/** What a refusal says, in the words that programs and people look at. */
export function said({ body }: Answer) {
  const { code, reason, message, details } = body as Status;
  return { code, reason, message, causes: details?.causes?.map(({ reason, field }) => `${field ?? ""}: ${reason}`) };
}
