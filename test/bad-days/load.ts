/**
 * Players who read, start, stop, extend and sign in, at a fixed number of requests a second, on each replica in turn. Every
 * answer is judged when it arrives: what no player must ever get is kept in `broken`.
 */
import { request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { Instance, Problem } from "@berg/api/wire";
import type { Cluster, Replica } from "../api/cluster.ts";
import type { Member } from "./members.ts";

export const requestsPerSecond = 50;
/** Longer than any limit of the API's own: 10 s for Kubernetes, 8 s for the database. */
const longestAnswerMs = 25_000;

/** "changes" are starts, stops and renewals. */
export type Kind = "read" | "change" | "sign-in";

export interface Answered {
  at: number;
  kind: Kind;
  replica: Replica;
  /** `200`, `503 database_unavailable`, or `no answer` where the connection broke. */
  outcome: string;
}

export interface LoadRules {
  /** Connections of players break: their replica dies or is frozen. */
  mayBreak?: true;
  /** Reads are answered all the time: what they need is in memory or in the database. */
  readsGoOn?: true;
}

interface Received {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: unknown;
}

interface Operation {
  kind: Kind;
  weight: number;
  method: string;
  path: string;
  body?: (member: Member) => object;
  /** Returns what is wrong with a success. */
  judge?: (member: Member, received: Received) => string | undefined;
}

const current = "/api/instances/current";

export class Load {
  readonly answers: Answered[] = [];
  /** Each is a broken law. */
  readonly broken: string[] = [];
  /** Ids of instances, by the answers that promised their start or stop. */
  readonly promised = { started: new Map<string, string>(), stopped: new Set<string>() };
  /** Starts, stops and sign-ins are asked for, too. */
  hasChanges = true;
  readonly #cluster: Cluster;
  readonly #members: readonly Member[];
  readonly #rules: LoadRules;
  readonly #pending = new Set<Promise<void>>();
  #isStopped = false;
  #count = 0;

  constructor(cluster: Cluster, members: readonly Member[], rules: LoadRules) {
    this.#cluster = cluster;
    this.#members = members;
    this.#rules = rules;
  }

  async run(): Promise<void> {
    const started = performance.now();
    for (let sent = 0; !this.#isStopped; sent++) {
      const pending = this.#one().finally(() => this.#pending.delete(pending));
      this.#pending.add(pending);
      const due = started + ((sent + 1) * 1000) / requestsPerSecond;
      await delay(Math.max(0, due - performance.now()));
    }
    await Promise.all(this.#pending);
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Whether each replica that runs has answered each kind with success since then. */
  hasRecovered(since: number): boolean {
    const fine = this.answers.filter(({ at, outcome }) => at > since && outcome.startsWith("2"));
    return serving(this.#cluster).every((replica) =>
      (["read", "change", "sign-in"] as const).every((kind) =>
        fine.some((one) => one.kind === kind && one.replica === replica),
      ),
    );
  }

  async #one(): Promise<void> {
    const replicas = serving(this.#cluster);
    const replica = replicas[this.#count++ % replicas.length];
    if (!replica) return;
    const operation = this.#draw();
    const member = this.#members[Math.floor(Math.random() * this.#members.length)] as Member;
    const { kind } = operation;
    let outcome: string;
    try {
      const received = await send(replica, member, operation, this.#cluster.publicUrl);
      outcome = outcomeOf(received);
      const wrong = this.#judge(member, operation, received);
      if (wrong !== undefined) this.broken.push(`${operation.method} ${operation.path}: ${wrong}`);
    } catch (error) {
      outcome = "no answer";
      if (!this.#rules.mayBreak) this.broken.push(`${operation.method} ${operation.path}: ${(error as Error).message}`);
    }
    this.answers.push({ at: performance.now(), kind, replica, outcome });
  }

  #draw(): Operation {
    const operations = this.hasChanges ? this.#operations : this.#operations.filter(({ kind }) => kind === "read");
    let left = Math.random() * operations.reduce((sum, { weight }) => sum + weight, 0);
    for (const operation of operations) {
      left -= operation.weight;
      if (left < 0) return operation;
    }
    return operations[0] as Operation;
  }

  #judge(member: Member, { judge, kind }: Operation, received: Received): string | undefined {
    const { status, headers } = received;
    if (status < 300) return judge?.(member, received);
    const { code, retryAfter } = (received.body ?? {}) as Problem;
    if (status === 409) return undefined;
    // Of a replica that was frozen: it wakes to a request that waited too long, and does nothing about it.
    if (status === 408 && this.#rules.mayBreak) return undefined;
    if (status === 503 && kind === "read" && this.#rules.readsGoOn) return `a read was refused: ${code}`;
    if (status === 429 || status === 503) {
      const isWhole = code !== undefined && retryAfter !== undefined && headers["retry-after"] === String(retryAfter);
      return isWhole ? undefined : `${status} without a problem and Retry-After: ${JSON.stringify(received.body)}`;
    }
    return `${status} ${JSON.stringify(received.body)}`;
  }

  readonly #operations: readonly Operation[] = [
    { kind: "read", weight: 10, method: "GET", path: "/api/challenges", judge: (_, { body }) => isList(body) },
    { kind: "read", weight: 5, method: "GET", path: "/api/metadata" },
    { kind: "read", weight: 3, method: "GET", path: "/api/players" },
    {
      ...{ kind: "read", weight: 10, method: "GET", path: "/api/players/current" },
      judge: ({ id }, { body }) => isOf(id, (body as { id: string }).id),
    },
    {
      ...{ kind: "read", weight: 12, method: "GET", path: current },
      judge: ({ id }, { body }) => isOf(id, (body as Instance).playerId),
    },
    {
      ...{ kind: "change", weight: 3, method: "POST", path: current },
      body: () => ({ challenge: Math.random() < 0.5 ? "notes" : "vault", replace: Math.random() < 0.2 }),
      judge: ({ id }, { body }) => {
        const { id: instanceId, playerId } = body as Instance;
        if (!instanceId) return `a start was answered without an instance: ${JSON.stringify(body)}`;
        this.promised.started.set(instanceId, id);
        return isOf(id, playerId);
      },
    },
    {
      ...{ kind: "change", weight: 2, method: "DELETE", path: current },
      judge: ({ id }, { body }) => {
        const { id: instanceId, playerId } = body as Instance;
        if (instanceId) this.promised.stopped.add(instanceId);
        return isOf(id, playerId);
      },
    },
    {
      ...{ kind: "change", weight: 2, method: "POST", path: `${current}/renew` },
      judge: ({ id }, { body }) => isOf(id, (body as Instance).playerId),
    },
    {
      ...{ kind: "sign-in", weight: 3, method: "POST", path: "/api/sign-in" },
      body: ({ link }) => ({ token: link }),
      judge: (_, { headers }) => (headers["set-cookie"] ? undefined : "a sign-in without a cookie"),
    },
  ];
}

/** As a load balancer has it. */
export function serving({ replicas }: Cluster): Replica[] {
  return replicas.filter(({ isServing }) => isServing);
}

function isOf(id: string, other: string | null): string | undefined {
  return other === id ? undefined : `an answer for ${other} was sent to ${id}`;
}

function isList(body: unknown): string | undefined {
  return Array.isArray(body) && body.length === 2 ? undefined : `the list has changed: ${JSON.stringify(body)}`;
}

function outcomeOf({ status, body }: Received): string {
  return status < 300 ? String(status) : `${status} ${(body as Problem | undefined)?.code ?? ""}`.trim();
}

/** Each member has an address of its own: sign-ins are limited by address. */
function send(replica: Replica, member: Member, { method, path, body, kind }: Operation, publicUrl: string) {
  const payload = body && JSON.stringify(body(member));
  return new Promise<Received>((resolve, reject) => {
    const outgoing = request(
      {
        ...{ host: "127.0.0.1", port: replica.port, localAddress: member.address, path, method, agent: false },
        headers: {
          host: new URL(publicUrl).host,
          ...(method !== "GET" && { origin: publicUrl }),
          ...(payload !== undefined && { "content-type": "application/json" }),
          // A sign-in with a cookie would end the session that other requests use.
          ...(kind !== "sign-in" && { cookie: member.cookie }),
        },
        signal: AbortSignal.timeout(longestAnswerMs),
      },
      async (incoming) => {
        try {
          let text = "";
          for await (const piece of incoming.setEncoding("utf8")) text += piece;
          const { statusCode: status = 0, headers } = incoming;
          resolve({ status, headers, body: /json/.test(headers["content-type"] ?? "") ? JSON.parse(text) : undefined });
        } catch (error) {
          reject(error);
        }
      },
    );
    outgoing.on("error", reject);
    outgoing.end(payload);
  });
}
