/** Players with a personal link, a session and a page open, which connects again when it is cut. */

import { runAdminCommandOn } from "@berg/api";
import type { Instance, ServerMessage } from "@berg/api/wire";
import { WebSocket } from "ws";
import type { Cluster } from "../api/cluster.ts";
import { SignedIn } from "../api/site.ts";
import { serving } from "./load.ts";

export interface Member {
  id: string;
  /** The token of a personal link, which signs in any number of times. */
  link: string;
  cookie: string;
  /** A loopback address of its own. */
  address: string;
}

export async function createMembers(cluster: Cluster, count: number): Promise<Member[]> {
  const { database, publicUrl } = cluster;
  const members: Member[] = [];
  for (let index = 0; index < count; index++) {
    const name = `Player ${index}`;
    const { output } = await runAdminCommandOn(
      { database, publicUrl },
      { command: "link", name, roles: [], kind: "personal" },
    );
    const link = new URL(output).hash.slice(1);
    const { headers } = await cluster.call("/api/sign-in", { method: "POST", body: { token: link } });
    const cookie = String(headers["set-cookie"]).split(";")[0] ?? "";
    const { id } = await new SignedIn(cluster, cookie).player();
    members.push({ id, link, cookie, address: `127.1.0.${index + 1}` });
  }
  return members;
}

const reconnectMs = 500;

/** A page: it must get messages of its player alone, and know the current instance in the end. */
export class Page implements Disposable {
  readonly member: Member;
  /** The last that was received. */
  instance: Instance | undefined;
  /** Each is a broken law. */
  readonly broken: string[] = [];
  readonly #cluster: Cluster;
  #socket: WebSocket | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(cluster: Cluster, member: Member) {
    this.#cluster = cluster;
    this.member = member;
    this.#connect();
  }

  get isOpen(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#socket?.removeAllListeners("close").terminate();
  }

  #connect(): void {
    const replicas = serving(this.#cluster);
    const replica = replicas[Math.floor(Math.random() * replicas.length)];
    if (!replica) {
      this.#connectLater();
      return;
    }
    const { publicUrl } = this.#cluster;
    const { cookie, address } = this.member;
    const socket = new WebSocket(`ws://127.0.0.1:${replica.port}/api/events`, {
      headers: { host: new URL(publicUrl).host, origin: publicUrl, cookie },
      localAddress: address,
      handshakeTimeout: 20_000,
    });
    this.#socket = socket;
    // A new page reads it again, and is sent it.
    this.instance = undefined;
    socket.on("error", () => {});
    socket.on("close", () => this.#connectLater());
    socket.on("message", (data) => this.#receive(JSON.parse(data.toString())));
  }

  #connectLater(): void {
    this.#timer = setTimeout(() => this.#connect(), reconnectMs);
  }

  #receive({ type, message }: ServerMessage): void {
    const { id } = this.member;
    if (type === "current-player" && message !== id) this.broken.push(`a page of ${id} is signed in as ${message}`);
    if (type !== "instance") return;
    if (message.playerId !== id) this.broken.push(`a page of ${id} got the instance of ${message.playerId}`);
    this.instance = message;
  }
}
