/**
 * How large an object may be: as large as etcd takes it, so that what is made here can be moved to a real cluster. Counted
 * is its JSON, where etcd counts the request around it too: some hundred bytes more.
 */
import { refusal } from "../errors/refusals.ts";

const largestBytes = 1.5 * 1024 * 1024;
/** What clients of etcd do not even send. */
const largestMessageBytes = 2 * 1024 * 1024;

/** Throws the refusal that clients of Kubernetes get. */
export function checkSize(json: string): void {
  // No character has more than three bytes for each of its units.
  if (json.length * 3 <= largestBytes) return;
  const bytes = Buffer.byteLength(json);
  if (bytes > largestMessageBytes) {
    const why = `trying to send message larger than max (${bytes} vs. ${largestMessageBytes})`;
    throw refusal(500, "", `rpc error: code = ResourceExhausted desc = ${why}`);
  }
  if (bytes > largestBytes) throw refusal(500, "", "etcdserver: request is too large");
}
