/**
 * `npm run -s control-plane`: a real API server to try things on, until Ctrl-C. Its nodes are simulated: pods become
 * Ready, and no container runs.
 */
import { startSimulator } from "@berg/local-node";
import { missingControlPlane, startControlPlane } from "@berg/test";

const missing = await missingControlPlane();
if (missing) {
  process.stderr.write(`${missing}\n`);
  process.exit(1);
}
const controlPlane = await startControlPlane({ scheduler: false });
const simulator = await startSimulator({ connection: controlPlane.connection, nodes: 2 });
process.stdout.write(`export KUBECONFIG=${controlPlane.kubeconfig}\n`);
process.stderr.write(
  "A real control plane with simulated nodes (pods become Ready, no container runs), until Ctrl-C; then all of it is gone.\n",
);
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    void simulator
      .stop()
      .then(() => controlPlane.stop())
      .then(() => process.exit(0));
  });
}
