import type { Status } from "@berg/apimachinery";

/** What is answered where something was done, and there is nothing to show. */
export const done: Status = { apiVersion: "v1", kind: "Status", metadata: {}, status: "Success", code: 201 };
