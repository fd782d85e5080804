/** Every controller of this package that any cluster needs. */
import { type Clock, type Logger, type Manager, silentLogger, systemClock } from "@berg/kube";
import { addClusterRoleController } from "./cluster-roles/cluster-roles.ts";
import { addDeploymentController } from "./deployments/deployments.ts";
import { addDisruptionController } from "./disruption/disruption.ts";
import { addEndpointSliceController } from "./endpoint-slices/endpoint-slices.ts";
import { addGarbageController } from "./garbage/garbage.ts";
import { addNamespaceController } from "./namespaces/namespaces.ts";
import { addQuotaController } from "./quota/quota.ts";
import { addReplicaSetController } from "./replica-sets/replica-sets.ts";
import { addRootCaController } from "./root-ca/root-ca.ts";
import { servedKinds } from "./served/served-kinds.ts";
import { addServiceAccountController } from "./service-accounts/service-accounts.ts";

export interface ClusterControllersOptions {
  /** The certificates by which pods know the API server, as PEM. */
  rootCa: string;
  clock?: Clock;
  log?: Logger;
}

export function addClusterControllers(manager: Manager, options: ClusterControllersOptions): void {
  const { rootCa, clock = systemClock, log = silentLogger } = options;
  const served = servedKinds(manager, clock);
  addNamespaceController(manager, { served, clock });
  addServiceAccountController(manager);
  addRootCaController(manager, { rootCa });
  addDeploymentController(manager, { clock });
  addReplicaSetController(manager, { clock });
  addEndpointSliceController(manager, { clock });
  addGarbageController(manager, { served, clock, log });
  addQuotaController(manager, { served, clock });
  addDisruptionController(manager, { served, clock });
  addClusterRoleController(manager);
}
