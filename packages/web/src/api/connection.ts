/** Whether the API answers and whether the live connection stands: one small store for the whole page. */
import { useSyncExternalStore } from "react";

export type Outage = "restarting" | "database" | "kubernetes" | "unreachable";

export interface Connection {
  /** How the last request ended. */
  requests: "answered" | Outage;
  /** Whether the WebSocket is open. Undefined until it was open once or failed once. */
  live: boolean | undefined;
}

let connection: Connection = { requests: "answered", live: undefined };
const listeners = new Set<() => void>();

export function reportRequest(requests: Connection["requests"]): void {
  update({ ...connection, requests });
}

export function reportLive(live: boolean): void {
  update({ ...connection, live });
}

export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, () => connection);
}

function update(next: Connection): void {
  if (next.requests === connection.requests && next.live === connection.live) return;
  connection = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
