/**
 * More clusters than one: made by Gardener or brought along, paid from a pool of accounts, and reached with kubeconfigs
 * that are narrow and short-lived.
 *
 * Folders in the order in which data flows: settings → gardener (the garden: its kinds, its answers) → subscription
 * (which account pays) → cluster (the Shoot) → target (a cluster's administrator for a moment) → kubeconfig (narrow
 * access). Beside them secrets: those of our own cluster, watched namespace by namespace. `operators.ts` puts them together.
 */
export { addClusterOperators, type ClusterOperatorsOptions } from "./operators.ts";
export {
  type ClusterOperatorSettings,
  clusterSettingsReference,
  readClusterSettings,
} from "./settings/settings.ts";
export * from "./vocabulary.ts";
