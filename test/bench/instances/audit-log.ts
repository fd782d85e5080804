/** The requests of one user, as the API server logged them. */
import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface LoggedRequest {
  verb: string;
  /** Empty for the core group. */
  group: string;
  resource: string;
  subresource: string;
  namespace: string;
  name: string;
  /** Of the answer. */
  code: number;
}

interface AuditEvent {
  verb: string;
  objectRef?: Partial<Record<"apiGroup" | "resource" | "subresource" | "namespace" | "name", string>>;
  responseStatus?: { code?: number };
}

const writes = ["create", "update", "patch", "delete", "deletecollection"];
const reads = ["get", "list", "watch"];

export class AuditLog {
  readonly apiServerFlags: readonly string[];
  readonly #file: string;

  private constructor(file: string, policy: string) {
    this.#file = file;
    this.apiServerFlags = [`--audit-policy-file=${policy}`, `--audit-log-path=${file}`];
  }

  /** Before the API server starts, which then gets `apiServerFlags`. Logs writes alone, unless `withReads` is set. */
  static async prepare(directory: string, user: string, { withReads = false } = {}): Promise<AuditLog> {
    const policy = join(directory, "audit-policy.yaml");
    await writeFile(policy, JSON.stringify(policyFor(user, withReads ? [...writes, ...reads] : writes)));
    return new AuditLog(join(directory, "audit.log"), policy);
  }

  /** Where the log ends now. An answered request is in it. */
  async mark(): Promise<number> {
    await using file = await open(this.#file, "a+");
    return (await file.stat()).size;
  }

  async since(mark: number): Promise<LoggedRequest[]> {
    await using file = await open(this.#file, "a+");
    const length = (await file.stat()).size - mark;
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, mark);
    const lines = buffer.toString("utf8").split("\n").filter(Boolean);
    return lines.map((line) => {
      const { verb, objectRef = {}, responseStatus } = JSON.parse(line) as AuditEvent;
      const { apiGroup: group = "", resource = "", subresource = "", namespace = "", name = "" } = objectRef;
      return { verb, group, resource, subresource, namespace, name, code: responseStatus?.code ?? 0 };
    });
  }
}

function policyFor(user: string, verbs: readonly string[]): object {
  return {
    apiVersion: "audit.k8s.io/v1",
    kind: "Policy",
    omitStages: ["RequestReceived"],
    rules: [{ level: "Metadata", users: [user], verbs }, { level: "None" }],
  };
}

export function isOfLease({ resource }: LoggedRequest): boolean {
  return resource === "leases";
}
