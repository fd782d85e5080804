/** Who asks. */
export interface User {
  name: string;
  uid?: string;
  groups: readonly string[];
  extra?: Readonly<Record<string, readonly string[]>>;
}

/** What RBAC never refuses. */
export const mastersGroup = "system:masters";
export const authenticatedGroup = "system:authenticated";
