/** `npm run -s control-plane`: a real API server to try things on, until Ctrl-C. */
import { missingControlPlane, startControlPlane } from "@berg/test";

const missing = await missingControlPlane();
if (missing) {
  process.stderr.write(`${missing}\n`);
  process.exit(1);
}
const controlPlane = await startControlPlane();
process.stdout.write(`export KUBECONFIG=${controlPlane.kubeconfig}\n`);
process.stderr.write("A real control plane without nodes runs until Ctrl-C; then everything in it is gone.\n");
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => void controlPlane.stop().then(() => process.exit(0)));
}
