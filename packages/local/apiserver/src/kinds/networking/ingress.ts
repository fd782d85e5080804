/** Ingresses: which requests from outside go to which Service. No controller here acts on them. */
import { type FieldError, invalid } from "../../errors/field-error.ts";
import { builtIn } from "../built-in.ts";
import { ipAddress } from "../checks/field-rules.ts";
import { ageColumn, column, nameColumn } from "../columns.ts";
import { showIngress } from "../core/service/columns.ts";
import { hostErrors } from "../core/service/validation.ts";
import { type Ingress, type IngressRule, ingressShape } from "./ingress-shape.ts";
import { ingressErrors } from "./ingress-validation.ts";

const classAnnotation = "kubernetes.io/ingress.class";

export const ingresses = builtIn({
  group: "networking.k8s.io",
  resource: "ingresses",
  kind: "Ingress",
  shortNames: ["ing"],
  schema: ingressShape,
  columns: [
    nameColumn,
    column("Class", "Who is to act on it.", (object) => of(object).spec.ingressClassName ?? "<none>"),
    column("Hosts", "The hosts that it is about.", (object) => showHosts(of(object).spec.rules)),
    column("Address", "Where it is reached.", (object) =>
      showIngress(of(object).status.loadBalancer.ingress).join(","),
    ),
    column("Ports", "The ports that are open.", (object) => (of(object).spec.tls ? "80, 443" : "80")),
    ageColumn,
  ],
  strategy: {
    hasStatus: true,
    hasGeneration: true,
    prepare(draft, old) {
      if (!old) draft.status = { loadBalancer: {} };
    },
    validate(object, old, subresource) {
      if (subresource === "status") return statusErrors(of(object));
      const { spec } = of(object);
      const errors = ingressErrors(spec);
      const named = object.metadata.annotations?.[classAnnotation];
      if (!old && named !== undefined && spec.ingressClassName !== undefined && named !== spec.ingressClassName)
        errors.push(
          invalid(`annotations.${classAnnotation}`, named, "must match `ingressClassName` when both are specified"),
        );
      return errors;
    },
    warnings(object, old) {
      const isOldWay =
        object.metadata.annotations?.[classAnnotation] !== undefined && of(object).spec.ingressClassName === undefined;
      if (old || !isOldWay) return [];
      return [`annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`];
    },
  },
});

function of(object: unknown): Ingress {
  return object as Ingress;
}

/** The first three. */
function showHosts(rules: readonly IngressRule[] = []): string {
  const hosts: string[] = [];
  let more = false;
  for (const { host } of rules) {
    if (hosts.length === 3) more = true;
    else if (host) hosts.push(host);
  }
  if (hosts.length === 0) return "*";
  return more ? `${hosts.join(",")} + ${rules.length - 3} more...` : hosts.join(",");
}

function statusErrors({ status }: Ingress): FieldError[] {
  return (status.loadBalancer.ingress ?? []).flatMap(({ ip, hostname }, i) => {
    const at = `status.loadBalancer.ingress[${i}]`;
    return [...(ip ? ipAddress(`${at}.ip`, ip) : []), ...(hostname ? hostErrors(`${at}.hostname`, hostname) : [])];
  });
}
