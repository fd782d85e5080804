/** Pods for the tests of the node itself. */
import { type Client, type Pod, Pods } from "@berg/kube";
import { eventually } from "../runtime/eventually.ts";
import { busyboxImage } from "./image/busybox.ts";

type Container = NonNullable<Pod["spec"]>["containers"][number];

/** Serves /srv at port 8080, as a player that is not root. */
export const webImage = busyboxImage({
  name: "berg.test/web:1",
  files: { "/srv/index.html": { content: "hello\n" } },
  command: ["httpd", "-f", "-p", "8080", "-h", "/srv"],
  user: "1000",
});

export const shell = (script: string) => ({ command: ["sh", "-c", script] });

/** A pod with one container of the same name, whose end is not followed by another start. */
export function podOf(name: string, container: Partial<Container> = {}, spec: Partial<Pod["spec"]> = {}) {
  return {
    metadata: { name, namespace: "default", labels: { app: name } },
    spec: {
      containers: [{ name, image: webImage.name, ...container }],
      restartPolicy: "Never",
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: false,
      ...spec,
    },
  };
}

/** Waits until the pod is as wanted, and gives it as it then is. */
export async function podThat(client: Client, name: string, what: string, holds: (pod: Pod) => unknown): Promise<Pod> {
  let pod: Pod | undefined;
  await eventually(`pod ${name} ${what}`, async () => {
    pod = await client.get(Pods, "default", name);
    return holds(pod);
  });
  return pod as Pod;
}

export const isReady = ({ status }: Pod) =>
  status?.conditions?.some(({ type, status: value }) => type === "Ready" && value === "True") ?? false;

export const endOf = ({ status }: Pod) => status?.containerStatuses?.[0]?.state?.terminated;
