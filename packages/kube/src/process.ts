/**
 * What any program of ours needs, without the client and the runtime: for one that is to stay small. The collector of
 * Node's garbage takes the longer the more there is, and a program that carries bytes makes it run often.
 */
export * from "./clock.ts";
export { ConfigurationError } from "./config/configuration-error.ts";
export { errorText, type Logger } from "./log.ts";
export { runProcess } from "./manager/process.ts";
