/**
 * By what others know our networks on an engine: those of namespaces by their labels, those between a tunnel's two
 * proxies by the names of their bridges, which packet rules can match whoever made them and whenever.
 */

/** Whose it is. Of two nodes on one machine each has its own. */
export const nodeLabel = "berg.local/node";
/** On the network of a namespace: its name. */
export const namespaceLabel = "berg.local/namespace";

/** Of a bridge that is for the host and one container alone. The rules of every node close it: networks/rules/script.ts. */
export const managementBridgePrefix = "bergm-";
