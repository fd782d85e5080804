/** `kubectl port-forward` to a pod on a real node, in which the same server runs. */
import { dirname, join } from "node:path";
import { provideBinaries } from "../../../control-plane/binaries.ts";
import { type ControlPlane, startControlPlane } from "../../../control-plane/control-plane.ts";
import { startNode } from "../../../node/node.ts";
import type { Contender } from "../contender.ts";
import { image, podImage, port } from "./pod-image.ts";
import { Program } from "./program.ts";

const pod = "bench";
const host = "127.0.0.1";

export interface Cluster extends AsyncDisposable {
  readonly controlPlane: ControlPlane;
}

/** Stays for the whole run: only kubectl is started anew. */
export async function startClusterWithPod(): Promise<Cluster> {
  await using parts = new AsyncDisposableStack();
  const controlPlane = parts.use(await startControlPlane());
  const node = parts.use(await startNode({ controlPlane }));
  await node.addImage(await podImage());
  await controlPlane.kubectl(["run", pod, `--image=${image}`, "--image-pull-policy=Never", "--restart=Never"]);
  await controlPlane.kubectl(["wait", `pod/${pod}`, "--for=condition=Ready", "--timeout=120s"]);
  const running = parts.move();
  return { controlPlane, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

export async function startPortForward({ controlPlane }: Cluster): Promise<Contender> {
  const kubectl = join(await provideBinaries(), "kubectl");
  const args = ["port-forward", `pod/${pod}`, `:${port}`, `--address=${host}`];
  await using parts = new AsyncDisposableStack();
  const forward = parts.use(
    new Program(kubectl, args, { KUBECONFIG: controlPlane.kubeconfig, HOME: dirname(controlPlane.kubeconfig) }),
  );
  const forwarded = Number(await forward.says(/Forwarding from 127\.0\.0\.1:(\d+)/));
  const running = parts.move();
  return {
    site: { host, port: forwarded },
    // The kubelet and containerd carry as well, on the node; to leave them out is in its favour.
    pids: [forward.pid, controlPlane.apiServer.pid ?? 0],
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
