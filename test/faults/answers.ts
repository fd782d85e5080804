/** What a server says in place of the one behind the proxy: `proxy.answer = () => forbidden`. */
import type { Answer } from "./proxy.ts";

export const forbidden: Answer = {
  status: 403,
  body: { kind: "Status", apiVersion: "v1", status: "Failure", code: 403, reason: "Forbidden", message: "no" },
};
