/** What kube-controller-manager and kube-scheduler do, as far as it is needed, on any Kubernetes API server. */
export * from "./cluster-controllers.ts";
export * from "./disruption/disruption.ts";
export * from "./garbage/garbage.ts";
export { addNamespaceController } from "./namespaces/namespaces.ts";
export * from "./quota/quota.ts";
export * from "./root-ca/root-ca.ts";
export { addScheduler } from "./scheduler/scheduler.ts";
export { type ServedKinds, servedKinds } from "./served/served-kinds.ts";
export * from "./service-accounts/service-accounts.ts";
