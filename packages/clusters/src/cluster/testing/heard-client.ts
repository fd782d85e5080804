/** A client that is listened to, and that can fail or end at any call: what a bad day or a killed process looks like. */
import type { Client } from "@berg/kube";

export interface Call {
  readonly server: "own" | "garden" | "target";
  /** Such as `create shoots` or `update clusters/status`. */
  readonly what: string;
  readonly name: string;
  readonly isWrite: boolean;
}

export interface Listener {
  /** What it throws is the answer. */
  before?(call: Call): void | Promise<void>;
  /** What it throws is all that the caller gets to know; the server has done it. */
  after?(call: Call): void | Promise<void>;
}

const reading = new Set(["get", "list", "listAll", "watch"]);
const writing = new Set(["create", "update", "patch", "apply", "delete", "createSubresource"]);

export function heardClient(client: Client, server: Call["server"], listener: Listener): Client {
  return new Proxy(client, {
    get(target, property: keyof Client) {
      const method = target[property];
      if (typeof method !== "function") return method;
      const bound = method.bind(target) as (...given: unknown[]) => Promise<unknown>;
      if (!reading.has(property) && !writing.has(property)) return bound;
      return async (...given: unknown[]) => {
        const call = callOf(server, property, given);
        await listener.before?.(call);
        const answer = await bound(...given);
        await listener.after?.(call);
        return answer;
      };
    },
  });
}

function callOf(server: Call["server"], verb: string, given: unknown[]): Call {
  const [{ resource }, second, third] = given as [{ resource: string }, unknown, unknown];
  const options = given.findLast((one) => typeof one === "object" && one !== null && "subresource" in one);
  const { subresource } = (options ?? {}) as { subresource?: string };
  const part = verb === "createSubresource" ? given[3] : subresource;
  const named = second as { metadata?: { name?: string } } | undefined;
  return {
    server,
    what: `${verb} ${resource}${part === undefined ? "" : `/${part}`}`,
    name: typeof third === "string" ? third : (named?.metadata?.name ?? ""),
    isWrite: writing.has(verb),
  };
}
