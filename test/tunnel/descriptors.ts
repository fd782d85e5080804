/**
 * What a proxy holds open. Data connections that wait for a client are left out: how many of them there are is the
 * pool's affair, and it shrinks when it likes. Everything else belongs to a stream, and must go with it.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

export interface Descriptors {
  dataConnections: number;
  others: number;
}

export function descriptorsOf(pid: number, dataPort: number): Descriptors {
  const isData = dataConnections(dataPort);
  const all = readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${descriptor}`);
    } catch {
      // Closed meanwhile.
      return [];
    }
  });
  const data = all.filter((name) => isData.has(name)).length;
  return { dataConnections: data, others: all.length - data };
}

const established = "01";

/** By their names among descriptors: `socket:[1234]`. */
function dataConnections(dataPort: number): Set<string> {
  const lines = ["tcp", "tcp6"].flatMap((file) => readFileSync(`/proc/net/${file}`, "utf8").split("\n").slice(1));
  const rows = lines.map((line) => line.trim().split(/\s+/)).filter((words) => words.length > 9);
  const portOf = (place = "") => Number.parseInt(place.split(":")[1] ?? "", 16);
  const found = rows.filter(
    ([, local, remote, state]) => state === established && [portOf(local), portOf(remote)].includes(dataPort),
  );
  return new Set(found.map((words) => `socket:[${words[9]}]`));
}
