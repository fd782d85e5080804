/** Pods stay five minutes on a node that is lost, unless they say otherwise. */
import type { Admission } from "./admission.ts";
import { podIn, specOf, type Toleration } from "./pods.ts";

const taints = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

export function defaultTolerations(): Admission {
  return {
    name: "DefaultTolerationSeconds",
    admit(request) {
      const pod = podIn(request);
      if (!pod) return;
      const spec = specOf(pod);
      const before = spec.tolerations ?? [];
      const missing = taints.filter((taint) => !before.some((toleration) => tolerates(toleration, taint)));
      if (missing.length === 0) return;
      const added = missing.map((key) => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 }));
      spec.tolerations = [...before, ...added];
    },
  };
}

function tolerates({ key = "", effect = "" }: Toleration, taint: string): boolean {
  return (key === taint || key === "") && (effect === "NoExecute" || effect === "");
}
