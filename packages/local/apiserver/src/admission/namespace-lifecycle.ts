/** Nothing is made in a namespace that is not there or on its way out, and some namespaces stay for good. */
import { StatusError } from "@berg/apimachinery";
import { forbidden, notFound } from "../errors/refusals.ts";
import type { Store } from "../storage/table.ts";
import type { Admission, AdmissionRequest } from "./admission.ts";
import { refuse } from "./refuse.ts";

const immortal = ["default", "kube-system", "kube-public"];

export function namespaceLifecycle(store: Store): Admission {
  return {
    name: "NamespaceLifecycle",
    admit(request) {
      const { resource, verb, name, namespace } = request;
      if (resource.storedAs === "namespaces") {
        if (verb === "delete" && immortal.includes(name))
          throw forbidden({ group: "", resource: "namespaces", name }, "this namespace may not be deleted");
        return;
      }
      if (namespace === "" || !resource.namespaced || verb === "delete") return;
      const found = store.table("namespaces").newest(namespace);
      if (!found) throw notFound({ group: "", resource: "namespaces", name: namespace });
      const { status } = found as { status?: { phase?: string } };
      if (verb === "create" && status?.phase === "Terminating") throw terminating(request);
    },
  };
}

function terminating(request: AdmissionRequest): StatusError {
  const { namespace } = request;
  const { status } = refuse(
    request,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  );
  const cause = {
    reason: "NamespaceTerminating",
    message: `namespace ${namespace} is being terminated`,
    field: "metadata.namespace",
  };
  return new StatusError({ ...status, details: { ...status.details, causes: [cause] } });
}
