/** All three operators, wired as they are shipped, with a proxy in front of each of their servers. */
import { type Clock, type Connection, systemRandom } from "@berg/kube";
import { addClusterOperators } from "../../../packages/clusters/src/operators.ts";
import { readClusterSettings } from "../../../packages/clusters/src/settings/settings.ts";
import type { Killable } from "../../crash/mortal.ts";
import { FaultProxy } from "../../faults/proxy.ts";
import { runInProcess } from "../../scenarios/in-process.ts";
import type { Door } from "./door.ts";

export type At = "home" | "garden" | "target";
export type RunningOperators = Killable<At>;

interface OperatorsOptions {
  /** Of their project, and of the only namespace that they see. */
  name: string;
  to: Record<At, Connection>;
  door: Door;
  clock: Clock;
}

export async function startOperators({ name, to, door, clock }: OperatorsOptions): Promise<RunningOperators> {
  const [garden, target] = await Promise.all([FaultProxy.start(to.garden), FaultProxy.start(to.target)]);
  door.leadTo(target);
  const hasty = { GARDEN_REQUESTS_PER_SECOND: "1000", GARDEN_BURST: "1000" };
  const settings = readClusterSettings({ GARDEN_PROJECT: name, ...hasty });
  const added = new AsyncDisposableStack();
  const confined = ["clusters", "subscriptionrequests"];
  const part = await runInProcess("clusters", to.home, { clock, only: name, confined }, (manager, metrics, log) => {
    const around = { settings, metrics, clock, random: systemRandom, log };
    added.use(addClusterOperators(manager, { garden: garden.connection, ...around }));
  });
  const stopProxies = () => Promise.all([garden.stop(), target.stop()]);
  return {
    proxies: { home: part.proxy, garden, target },
    output: part.output,
    async stop() {
      await part.stop();
      await added.disposeAsync();
      await stopProxies();
    },
    async kill() {
      garden.sever();
      target.sever();
      await Promise.all([part.kill(), added.disposeAsync()]);
      await stopProxies();
    },
  };
}
