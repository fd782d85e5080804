/** All that was measured of all contenders: as one table for people, and as figures with their goals. */
import { compare, type Figure, type Goal } from "../figure.ts";
import { crowd, type Speed } from "./loads.ts";

export const titles = {
  tunnel: "the tunnel",
  direct: "a direct connection",
  relay: "a plain relay",
  chisel: "chisel",
  portForward: "kubectl port-forward",
} as const;
export type Name = keyof typeof titles;

export type Measure = Speed | "memory";
/** What was not measured lacks: nothing stands in a direct connection whose memory could count. */
export type Standings = Record<Name, Partial<Record<Measure, number>>>;

type Unit = "Gbit/s" | "connections/s" | "ms" | "KiB";
const measures: Record<Measure, { title: string; unit: Unit }> = {
  downloadOne: { title: "server to client, 1 stream", unit: "Gbit/s" },
  downloadEight: { title: "server to client, 8 streams", unit: "Gbit/s" },
  uploadOne: { title: "client to server, 1 stream", unit: "Gbit/s" },
  uploadEight: { title: "client to server, 8 streams", unit: "Gbit/s" },
  newConnections: { title: `new connections, ${crowd} users`, unit: "connections/s" },
  echoP50: { title: "echo on an open connection, p50", unit: "ms" },
  echoP99: { title: "echo on an open connection, p99", unit: "ms" },
  firstEchoP50: { title: "connect and echo, p50", unit: "ms" },
  firstEchoP99: { title: "connect and echo, p99", unit: "ms" },
  memory: { title: "resident memory of an idle stream", unit: "KiB" },
};
const order = Object.keys(measures) as Measure[];

/** More than this a player may notice, in a shell. */
const addedMs = 1;
/** Of what Node alone can do between two processes. */
const shareOfRelay = 0.8;
/** Nobody asked for more beside a connection that nothing carries; less than a tenth would be a mistake somewhere. */
const shareOfDirect = 0.1;

export function figuresOf(standings: Standings): Figure[] {
  return order.flatMap((measure) => {
    const { unit } = measures[measure];
    if (unit === "ms")
      return [...(measure.endsWith("P50") ? [added(standings, measure)] : []), ...ahead(standings, measure)];
    if (unit === "KiB") return ahead(standings, measure);
    return [
      beside(standings, measure, "direct", { atLeast: shareOfDirect }),
      beside(standings, measure, "relay", { atLeast: shareOfRelay }),
      ...ahead(standings, measure),
    ];
  });
}

function ahead(standings: Standings, measure: Measure): Figure[] {
  const isLessBetter = measures[measure].unit === "ms" || measures[measure].unit === "KiB";
  const goal: Goal = isLessBetter ? { atMost: 1 } : { atLeast: 1 };
  return [beside(standings, measure, "chisel", goal), beside(standings, measure, "portForward", goal)];
}

function beside(standings: Standings, measure: Measure, rival: Name, goal: Goal): Figure {
  const { title, unit } = measures[measure];
  return compare({
    name: `${title}, beside ${titles[rival]}`,
    unit,
    value: measuredOf(standings, "tunnel", measure),
    beside: measuredOf(standings, rival, measure),
    goal,
  });
}

function added(standings: Standings, measure: Measure): Figure {
  const { title, unit } = measures[measure];
  return compare({
    name: `${title}, beside ${titles.direct} and ${addedMs} ms`,
    unit,
    value: measuredOf(standings, "tunnel", measure),
    beside: measuredOf(standings, "direct", measure) + addedMs,
    goal: { atMost: 1 },
  });
}

function measuredOf(standings: Standings, name: Name, measure: Measure): number {
  const value = standings[name][measure];
  if (value === undefined) throw new RangeError(`${titles[name]} was not measured: ${measures[measure].title}`);
  return value;
}

/** One line a measure, one column a contender. */
export function formatStandings(standings: Standings): string {
  const names = Object.keys(titles) as Name[];
  const rows = [
    ["", "unit", ...names.map((name) => titles[name])],
    ...order.map((measure) => [
      measures[measure].title,
      measures[measure].unit,
      ...names.map((name) => readable(standings[name][measure])),
    ]),
  ];
  const widths = (rows[0] as string[]).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  return rows
    .map((row) =>
      row.map((cell, column) => (column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))),
    )
    .map((cells) => `${cells.join("  ").trimEnd()}\n`)
    .join("");
}

function readable(value: number | undefined): string {
  return value === undefined ? "–" : value.toLocaleString("en-US", { maximumSignificantDigits: 3 });
}
