/** Every request of one user, reads and watches too, as the API server itself logged it. */
import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Counts, count } from "./counts.ts";

interface AuditEvent {
  verb: string;
  requestURI: string;
  objectRef?: { resource?: string; subresource?: string };
}

export class RequestLog {
  readonly apiServerFlags: readonly string[];
  readonly #file: string;

  private constructor(file: string, policy: string) {
    this.#file = file;
    this.apiServerFlags = [`--audit-policy-file=${policy}`, `--audit-log-path=${file}`];
  }

  /** To be asked for before the API server starts, with `apiServerFlags`. */
  static async prepare(directory: string, user: string): Promise<RequestLog> {
    const policy = join(directory, "audit-policy.yaml");
    await writeFile(policy, JSON.stringify(policyFor(user)));
    return new RequestLog(join(directory, "audit.log"), policy);
  }

  /** Where the log ends now. An answered request is in it. */
  async mark(): Promise<number> {
    await using file = await open(this.#file, "a+");
    return (await file.stat()).size;
  }

  async since(mark: number): Promise<Counts> {
    await using file = await open(this.#file, "a+");
    const length = (await file.stat()).size - mark;
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, mark);
    const lines = buffer.toString("utf8").split("\n").filter(Boolean);
    const events = lines.map((line) => JSON.parse(line) as AuditEvent);
    return count(
      events.map(({ verb, requestURI, objectRef: { resource = requestURI, subresource = "" } = {} }) => ({
        verb,
        resource,
        subresource,
      })),
    );
  }
}

/** One line a request: of a watch when it begins, of all others when they are answered. */
function policyFor(user: string): object {
  const ofUser = { level: "Metadata", users: [user] };
  return {
    apiVersion: "audit.k8s.io/v1",
    kind: "Policy",
    omitStages: ["RequestReceived"],
    rules: [{ ...ofUser, verbs: ["watch"], omitStages: ["ResponseComplete"] }, ofUser, { level: "None" }],
  };
}
