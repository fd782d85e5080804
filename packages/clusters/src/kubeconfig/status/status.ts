/** The status of a KubeconfigRequest after each step. Pure. Texts have no counts and no times: each change is a write. */
export * from "./granted.ts";
export * from "./issued.ts";
export * from "./retiring.ts";
export * from "./revoked.ts";
export * from "./troubled.ts";
export * from "./untold.ts";
export * from "./waiting.ts";
