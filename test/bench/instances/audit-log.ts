/** Every write of one user, as the API server itself logged it: nobody's own account of what it did. */
import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface LoggedWrite {
  verb: string;
  resource: string;
  subresource: string;
  name: string;
}

interface AuditEvent {
  verb: string;
  objectRef?: { resource?: string; subresource?: string; name?: string };
}

export class AuditLog {
  readonly apiServerFlags: readonly string[];
  readonly #file: string;

  private constructor(file: string, policy: string) {
    this.#file = file;
    this.apiServerFlags = [`--audit-policy-file=${policy}`, `--audit-log-path=${file}`];
  }

  /** To be asked for before the API server starts, with `apiServerFlags`. */
  static async prepare(directory: string, user: string): Promise<AuditLog> {
    const policy = join(directory, "audit-policy.yaml");
    await writeFile(policy, JSON.stringify(policyFor(user)));
    return new AuditLog(join(directory, "audit.log"), policy);
  }

  /** Where the log ends now. An answered request is in it. */
  async mark(): Promise<number> {
    await using file = await open(this.#file, "a+");
    return (await file.stat()).size;
  }

  async since(mark: number): Promise<LoggedWrite[]> {
    await using file = await open(this.#file, "a+");
    const length = (await file.stat()).size - mark;
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, mark);
    const lines = buffer.toString("utf8").split("\n").filter(Boolean);
    return lines.map((line) => {
      const { verb, objectRef } = JSON.parse(line) as AuditEvent;
      return {
        verb,
        resource: objectRef?.resource ?? "",
        subresource: objectRef?.subresource ?? "",
        name: objectRef?.name ?? "",
      };
    });
  }
}

function policyFor(user: string): object {
  return {
    apiVersion: "audit.k8s.io/v1",
    kind: "Policy",
    omitStages: ["RequestReceived"],
    rules: [
      { level: "Metadata", users: [user], verbs: ["create", "update", "patch", "delete", "deletecollection"] },
      { level: "None" },
    ],
  };
}

export function isOfLease({ resource }: LoggedWrite): boolean {
  return resource === "leases";
}
