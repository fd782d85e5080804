/** A Kubernetes API server in this process: what it offers, it offers as kube-apiserver does. */
export type { User } from "./authentication/user.ts";
export type { ExecOptions, ExecSession, LogOptions, Nodes } from "./http/nodes.ts";
export { type ApiServer, type ApiServerOptions, startApiServer } from "./server.ts";
