/**
 * A process as operators run it: a manager with a lease, health and one controller. Started by manager.real.test.ts.
 *
 * Its controller copies `want` to `got` in every ConfigMap that it is shown, by an update under the version that it saw.
 */
import { setTimeout as delay } from "node:timers/promises";
import { ConfigMaps, createClient, createMetrics, type Logger, Manager, runProcess, watchSelf } from "@berg/kube";
import { connectionWith } from "../control-plane/credentials.ts";

const { server, token, namespace, name, port, timing, takesMs } = JSON.parse(process.argv[2] ?? "{}");

const print = (fields: object, message: string) => console.log(JSON.stringify({ message, ...fields }));
const log: Logger = { debug() {}, info: print, warn: print, error: print, child: () => log };
const connection = connectionWith({ server, token, namespace });
const metrics = await createMetrics();
const manager = new Manager({
  component: "work",
  client: createClient({ connection, component: `${name}-work`, log, metrics: metrics.requests }),
  log,
  metrics,
  election: { client: createClient({ connection, component: `${name}-lease` }), namespace, timing },
  health: { host: "127.0.0.1", healthPort: port, metricsPort: port },
});
const objects = manager.informer(ConfigMaps, { selection: { namespace, labelSelector: "work" } });
manager.addController({
  name: "work",
  watches: [watchSelf(objects)],
  workers: 4,
  async reconcile(key, { signal }) {
    const found = objects.get(key);
    if (!found || found.data?.got === found.data?.want) return undefined;
    print({ key }, "begin");
    await delay(takesMs, undefined, { signal });
    await manager.client.update(
      ConfigMaps,
      { ...found, data: { ...found.data, got: found.data?.want ?? "" } },
      { signal },
    );
    manager.recorder.event(found, "Normal", "Copied", `${found.metadata.name} is as wanted`);
    return undefined;
  },
});
await runProcess(log, (stop) => manager.run(stop));
