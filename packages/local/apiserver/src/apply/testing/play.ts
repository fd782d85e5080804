/** Plays requests on a real API server, and the same ones here; after each step both must agree. */
import { applyMergePatch, type ManagedFieldsEntry, StatusError } from "@berg/apimachinery";
import { expect } from "vitest";
import type { AnyObject } from "../../registry/resource.ts";
import { applyObject } from "../apply-object.ts";
import { trackUpdate } from "../track-update.ts";
import { apiVersionOf, type TrackedKind } from "../tracked-kind.ts";
import { withoutNewTimes } from "../unchanged-times.ts";
import type { JsonObject } from "../values.ts";
import { asStored, withDefaults } from "./defaults.ts";

export interface Step {
  verb: "create" | "update" | "patch" | "apply";
  manager: string;
  /** Of a create, update or apply without apiVersion, kind and name; of a patch a merge patch. */
  body: JsonObject;
  force?: boolean;
  subresource?: "" | "status";
}

/** A real API server, or what one once answered. */
export interface Server {
  ask(method: string, path: string, type: string, body: unknown): Promise<JsonObject>;
}

const builtInGroups = ["", "apps"];

export class Player {
  readonly #server: Server;
  readonly #kind: TrackedKind;
  readonly #name: string;
  #live: AnyObject | undefined;

  constructor(server: Server, kind: TrackedKind, name: string) {
    this.#server = server;
    this.#kind = kind;
    this.#name = name;
  }

  /** The same object, after a change of its kind. */
  as(kind: TrackedKind): Player {
    const player = new Player(this.#server, kind, this.#name);
    player.#live = this.#live;
    return player;
  }

  /** Returns what the server answered. */
  async play(step: Step): Promise<JsonObject> {
    const answer = await this.#ask(step);
    if (step.verb === "apply") this.#compareApply(step, answer);
    else if (isObject(answer)) this.#compareUpdate(step, answer);
    if (isObject(answer)) this.#live = answer;
    return answer;
  }

  async #ask({ verb, manager, body, force = false, subresource = "" }: Step): Promise<JsonObject> {
    const { group, version, resource } = this.#kind;
    const root = group === "" ? "/api" : `/apis/${group}`;
    const collection = `${root}/${version}/namespaces/default/${resource}`;
    const path = `${collection}/${this.#name}${subresource && `/${subresource}`}?fieldManager=${manager}`;
    switch (verb) {
      case "create":
        return this.#server.ask("POST", `${collection}?fieldManager=${manager}`, "application/json", this.#whole(body));
      case "update":
        return this.#server.ask("PUT", path, "application/json", this.#replacing(body));
      case "patch":
        return this.#server.ask("PATCH", path, "application/merge-patch+json", body);
      case "apply": {
        const forced = force ? "&force=true" : "";
        return this.#server.ask("PATCH", path + forced, "application/apply-patch+yaml", this.#whole(body));
      }
    }
  }

  #whole(body: JsonObject): JsonObject {
    const metadata = { name: this.#name, ...(body.metadata as object | undefined) };
    return { apiVersion: apiVersionOf(this.#kind), kind: this.#kind.kind, ...body, metadata };
  }

  /** A custom object is replaced only by who says which one. */
  #replacing(body: JsonObject): JsonObject {
    const resourceVersion = this.#live?.metadata.resourceVersion;
    return this.#whole({ ...body, metadata: { resourceVersion, ...(body.metadata as object | undefined) } });
  }

  #compareUpdate({ verb, manager, body, subresource = "" }: Step, answer: AnyObject): void {
    const live = this.#live;
    const sent = {
      create: () => this.#whole(body),
      update: () => this.#replacing(body),
      patch: () => applyMergePatch(live, body) as JsonObject,
      apply: () => body,
    }[verb]();
    const updated = withDefaults(this.#kind.kind, sent) as AnyObject;
    const request = { kind: this.#kind, live, updated, manager, subresource, now: timeIn(answer) };
    const entries = trackUpdate({ ...request, apiVersions: [apiVersionOf(this.#kind)] });
    this.#compareEntries(entries, answer);
  }

  #compareApply({ manager, body, force = false, subresource = "" }: Step, answer: JsonObject): void {
    const [kind, live, now] = [this.#kind, this.#live, timeIn(answer)];
    let object: AnyObject;
    try {
      const request = { kind, name: this.#name, live, applied: this.#whole(body), manager, force, subresource, now };
      object = applyObject({ ...request, apiVersions: [apiVersionOf(kind)] }).object;
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      expect(unordered(error.status)).toEqual(unordered(answer));
      return;
    }
    const stored = asStored(kind, subresource, withDefaults(kind.kind, object) as AnyObject, live, answer);
    if (isObject(answer)) {
      expect(bare(stored)).toEqual(bare(answer));
      this.#compareEntries(object.metadata.managedFields, answer);
    } else {
      expect(answer).toMatchObject({ code: 422, reason: "Invalid" });
      // Where everything was taken from something a null is left, there as here; validation then refuses it.
      if (String(answer.message).includes('"null"')) expect(JSON.stringify(stored)).toContain(":null");
    }
  }

  /** Whatever else the server does to the object, it does before it looks whether only times are new. */
  #compareEntries(entries: ManagedFieldsEntry[] | undefined, answer: AnyObject): void {
    const { managedFields, ...metadata } = answer.metadata;
    const stored = { ...answer, metadata: { ...metadata, ...(entries && { managedFields: entries }) } };
    const ours = this.#live ? withoutNewTimes(stored, this.#live) : entries;
    expect(ours).toEqual(managedFields);
    // A custom object comes with its fields in the order of the alphabet, these too.
    const isOrdered = builtInGroups.includes(this.#kind.group);
    if (isOrdered) expect(JSON.stringify(ours)).toBe(JSON.stringify(managedFields));
  }
}

function isObject(answer: JsonObject): answer is AnyObject {
  return answer.kind !== "Status";
}

/** Without what the server alone decides, and what is compared for itself. */
function bare(object: AnyObject): JsonObject {
  const { managedFields, uid, resourceVersion, creationTimestamp, generation, namespace, ...metadata } =
    object.metadata;
  return { ...object, metadata };
}

/** The time of this request, as far as the answer shows one: the newest in it. */
function timeIn(answer: JsonObject): number {
  if (!isObject(answer)) return 0;
  const times = (answer.metadata.managedFields ?? []).flatMap(({ time }) => (time ? [Date.parse(time)] : []));
  return Math.max(0, ...times);
}

/** Kubernetes lists the causes of conflicts with several managers, and several problems, in no order. */
function unordered({ details, message, ...status }: object & { details?: unknown; message?: unknown }): unknown {
  const { causes, ...others } = (details ?? {}) as { causes?: object[] };
  const lines = String(message).split("\n");
  return {
    ...status,
    details: { ...others, causes: causes?.map((cause) => JSON.stringify(cause)).sort() },
    message: lines[0]?.endsWith("errors:") ? lines.sort() : message,
  };
}
