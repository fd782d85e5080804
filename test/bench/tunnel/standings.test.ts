import { expect, test } from "vitest";
import { figuresOf, formatStandings, type Measure, type Standings } from "./standings.ts";

const bulk = { downloadOne: 4, downloadEight: 4, uploadOne: 4, uploadEight: 4 };
const slow: Record<Measure, number> = {
  ...{ downloadOne: 1, downloadEight: 1, uploadOne: 1, uploadEight: 1, newConnections: 100 },
  ...{ echoP50: 0.9, echoP99: 9, firstEchoP50: 2, firstEchoP99: 20, memory: 50 },
};
const good: Standings = {
  tunnel: {
    ...{ ...bulk, newConnections: 2000, memory: 20 },
    ...{ echoP50: 0.3, echoP99: 1, firstEchoP50: 0.9, firstEchoP99: 2 },
  },
  direct: {
    ...{ downloadOne: 20, downloadEight: 20, uploadOne: 20, uploadEight: 20, newConnections: 5000 },
    ...{ echoP50: 0.03, echoP99: 0.1, firstEchoP50: 0.2, firstEchoP99: 1 },
  },
  relay: { ...bulk, newConnections: 2000, echoP50: 0.2, echoP99: 1, firstEchoP50: 0.7, firstEchoP99: 2, memory: 15 },
  chisel: slow,
  portForward: slow,
};
const tunnelWith = (measured: Partial<Record<Measure, number>>): Standings => ({
  ...good,
  tunnel: { ...good.tunnel, ...measured },
});
const missed = (standings: Standings) =>
  figuresOf(standings)
    .filter(({ met }) => !met)
    .map(({ name }) => name);

test("a tunnel that is good in all misses nothing", () => expect(missed(good)).toEqual([]));

test.each<[string, Partial<Record<Measure, number>>, string[]]>([
  [
    "less than 0.8 of the relay's throughput",
    { uploadEight: 3.1 },
    ["client to server, 8 streams, beside a plain relay"],
  ],
  ["exactly 0.8 of it", { uploadEight: 3.2 }, []],
  ["less than 0.8 of its connections", { newConnections: 1599 }, ["new connections, 100 users, beside a plain relay"]],
  [
    "more than 1 ms on top of a direct echo",
    { echoP50: 1.04 },
    [
      "echo on an open connection, p50, beside a direct connection and 1 ms",
      "echo on an open connection, p50, beside chisel",
      "echo on an open connection, p50, beside kubectl port-forward",
    ],
  ],
  ["more than 1 ms at p99 alone, ahead of the others", { echoP99: 8 }, []],
  [
    "more memory than others",
    { memory: 51 },
    [
      "resident memory of an idle stream, beside chisel",
      "resident memory of an idle stream, beside kubectl port-forward",
    ],
  ],
])("%s", (_, measured, names) => expect(missed(tunnelWith(measured))).toEqual(names));

test("every measure is compared with both rivals", () => {
  for (const rival of ["chisel", "kubectl port-forward"]) {
    expect(figuresOf(good).filter(({ name }) => name.endsWith(`, beside ${rival}`))).toHaveLength(10);
  }
});

test("what was not measured is said by name", () => {
  const { memory: _, ...rest } = slow;
  expect(() => figuresOf({ ...good, chisel: rest })).toThrow(
    "chisel was not measured: resident memory of an idle stream",
  );
});

test("the table has a line for each measure, and a dash for what cannot be measured", () => {
  const [head, ...lines] = formatStandings(good).trimEnd().split("\n");
  expect(head?.trim().split(/ {2,}/)).toEqual([
    ...["unit", "the tunnel", "a direct connection", "a plain relay", "chisel", "kubectl port-forward"],
  ]);
  expect(lines).toHaveLength(10);
  expect(lines.at(4)?.split(/ {2,}/)).toEqual([
    ...["new connections, 100 users", "connections/s", "2,000", "5,000", "2,000", "100", "100"],
  ]);
  expect(lines.at(-1)?.split(/ {2,}/)).toEqual([
    ...["resident memory of an idle stream", "KiB", "20", "–", "15", "50", "50"],
  ]);
});
