/** A process that runs for a lease and, while it leads, writes as fast as it may. Started by election.real.test.ts. */
import { ConfigMaps, createClient, Elector, silentLogger, systemClock, systemRandom, unlimited } from "@berg/kube";
import { connectionWith } from "../control-plane/credentials.ts";

const { server, token, namespace, identity, timing } = JSON.parse(process.argv[2] ?? "{}");
const connection = connectionWith({ server, token, namespace });
const elector = new Elector({
  client: createClient({ connection, component: `elector-${identity}` }),
  namespace,
  name: "berg-test",
  identity,
  clock: systemClock,
  random: systemRandom,
  log: silentLogger,
  timing,
});
const writer = createClient({ connection, component: identity, rate: unlimited }).guarded(elector.fence);

// The worst moment to fall asleep: decided to write, not yet written. From outside it would be hit by luck only, and a
// process that was stopped while it waited wakes to its timers first, which hides what it would have done without them.
let sleepNow = false;
process.on("SIGUSR2", () => {
  sleepNow = true;
});

async function write(leading: AbortSignal): Promise<void> {
  while (!leading.aborted) {
    if (sleepNow) {
      sleepNow = false;
      process.kill(process.pid, "SIGSTOP");
    }
    await writer
      .patch(ConfigMaps, namespace, "shared", { type: "merge", body: { data: { by: identity } } })
      .catch(() => {});
  }
}

const end = await elector.run((leading) => {
  for (let writer = 0; writer < 20; writer++) void write(leading);
}, new AbortController().signal);
process.exit(end === "lost" ? 1 : 0);
