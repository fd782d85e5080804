/**
 * Notifications of PostgreSQL (LISTEN), on a connection of their own, which is made again when it is lost. They are hints:
 * those of the meantime are lost, so `onConnect` reads what they were about. A pooler that gives each transaction another
 * connection (transaction pooling) delivers none.
 */
import { type Clock, errorText, type Logger, type Timer } from "@berg/kube";
import pg from "pg";
import type { DatabaseAddress } from "./address.ts";
import { connectionOptions } from "./postgres.ts";

export interface ListenOptions {
  address: DatabaseAddress;
  channel: string;
  clock: Clock;
  log: Logger;
  /** Also at the first time. */
  onConnect(): void;
  onMessage(payload: string): void;
}

const retryMs = 500;
const connectMs = 3_000;
/** Asked this often, so that a lost server is noticed: otherwise no bytes come. */
const askMs = 5_000;
const socketMs = 12_000;

/** Nothing happens on SQLite, whose file has one process. */
export function listen(options: ListenOptions): AsyncDisposable {
  const { address } = options;
  if (address.kind !== "postgres") return { async [Symbol.asyncDispose]() {} };
  return new Listener(address.url, options);
}

class Listener implements AsyncDisposable {
  readonly #url: string;
  readonly #options: ListenOptions;
  #client: pg.Client | undefined;
  #timer: Timer | undefined;
  #isStopped = false;
  #isConnected = false;

  constructor(url: string, options: ListenOptions) {
    this.#url = url;
    this.#options = options;
    void this.#connect();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#client?.end().catch(() => {});
  }

  async #connect(): Promise<void> {
    const { channel, onConnect, onMessage, log } = this.#options;
    const client = new pg.Client({
      ...connectionOptions(this.#url, socketMs),
      application_name: "berg-listen",
      connectionTimeoutMillis: connectMs,
    });
    this.#client = client;
    client.on("error", (error) => this.#lost(client, error));
    client.on("end", () => this.#lost(client, undefined));
    client.on("notification", ({ payload }) => onMessage(payload ?? ""));
    try {
      await client.connect();
      await client.query(`listen ${client.escapeIdentifier(channel)}`);
    } catch (error) {
      this.#lost(client, error);
      return;
    }
    if (this.#isStopped) return;
    if (!this.#isConnected) log.debug({ channel }, "listening for notifications of the database");
    this.#isConnected = true;
    onConnect();
    this.#ask(client);
  }

  #ask(client: pg.Client): void {
    this.#timer?.cancel();
    this.#timer = this.#options.clock.setTimer(askMs, () => {
      client.query("select 1").then(
        () => {
          if (this.#client === client && !this.#isStopped) this.#ask(client);
        },
        (error) => this.#lost(client, error),
      );
    });
  }

  /** Once for each client, however many events tell of it. */
  #lost(client: pg.Client, error: unknown): void {
    if (this.#client !== client || this.#isStopped) return;
    this.#client = undefined;
    this.#timer?.cancel();
    client.end().catch(() => {});
    if (this.#isConnected) {
      const reason = error === undefined ? "it ended" : errorText(error);
      this.#options.log.warn({ error: reason }, "the connection for notifications was lost; connecting again");
    }
    this.#isConnected = false;
    this.#timer = this.#options.clock.setTimer(retryMs, () => void this.#connect());
  }
}
