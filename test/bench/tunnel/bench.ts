/** The tunnel beside no tunnel, beside the least that two processes can do, and beside others: one table, one run. */
import type { Bench, BenchOptions } from "../bench.ts";
import { rounds } from "../runtime/rounds.ts";
import type { Start } from "./contender.ts";
import { limitFigures, memoryOfStream } from "./idle.ts";
import { startLineUp } from "./line-up.ts";
import { loads } from "./loads.ts";
import { figuresOf, formatStandings, type Measure, type Name, type Standings, titles } from "./standings.ts";

export const bench: Bench = {
  about:
    "both proxies as processes on this machine, over loopback; in turn with a direct connection, with two Node processes that only pipe, with chisel (its server where the client proxy is, encrypted as it comes), and with kubectl port-forward to a pod on a real node. Server and load are the same everywhere, in processes of their own, and what is between them is started anew for each measurement; 32 bytes an echo. Resident memory is of both proxies; for port-forward of kubectl and the API server",
  ownNetwork: true,
  async run(options) {
    await using lineUp = await startLineUp();
    const standings: Standings = { tunnel: {}, direct: {}, relay: {}, chisel: {}, portForward: {} };
    await measureSpeed(lineUp.start, standings, options);
    await measureMemory(lineUp.start, standings, options);
    options.say(`medians\n\n${formatStandings(standings)}`);
    const limits = await limitFigures(lineUp.startTunnelWith, options.quick ? 500 : 10_000, options);
    return [...figuresOf(standings), ...limits];
  },
};

async function measureSpeed(start: Record<Name, Start>, standings: Standings, { quick, say }: BenchOptions) {
  const count = quick ? 1 : 5;
  const times = quick ? { warmUpMs: 500, measureMs: 700 } : { warmUpMs: 1_000, measureMs: 3_000 };
  for (const load of loads) {
    say(`${load.about}, ${count} rounds`);
    const pass = (name: Name) => async () => {
      await using contender = await start[name]();
      const { failed, measured } = await load.run(contender.site, times);
      if (failed === 0) return measured;
      const complaint = `${failed} calls through ${titles[name]} failed`;
      // The others may be as bad as they are; what we make loses nobody.
      if (name === "tunnel") throw new Error(complaint);
      say(complaint);
      return measured;
    };
    add(standings, await inTurn(count, Object.keys(titles) as Name[], pass));
  }
}

async function measureMemory(start: Record<Name, Start>, standings: Standings, { quick, say }: BenchOptions) {
  const count = quick ? 1 : 3;
  const streams = quick ? 200 : 1_000;
  say(`memory of ${streams} idle streams, ${count} rounds`);
  const pass = (name: Name) => async () => ({ memory: await memoryOfStream(start[name], streams) });
  add(standings, await inTurn(count, ["tunnel", "relay", "chisel", "portForward"], pass));
}

type Measured = Partial<Record<Measure, number>>;

function inTurn(count: number, names: readonly Name[], pass: (name: Name) => () => Promise<Measured>) {
  const contenders = Object.fromEntries(names.map((name) => [name, pass(name)]));
  return rounds(count, contenders as Record<Name, () => Promise<Record<Measure, number>>>);
}

function add(standings: Standings, measured: Partial<Record<Name, Measured>>): void {
  for (const [name, values] of Object.entries(measured)) Object.assign(standings[name as Name], values);
}
