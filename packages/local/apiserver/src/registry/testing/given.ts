/** A registry over a store in memory, and short words for what tests ask of it. */
import { StatusError } from "@berg/apimachinery";
import { FakeClock } from "@berg/kube/testing";
import type { Admission } from "../../admission/admission.ts";
import { openStore } from "../../storage/open-store.ts";
import type { Store } from "../../storage/table.ts";
import { createVerbs } from "../create-verbs.ts";
import type { Registry } from "../registry.ts";
import type { AnyObject, ServedResource } from "../resource.ts";
import { ServedResources } from "../served-resources.ts";
import type {
  Body,
  Caller,
  DeleteOptions,
  PatchBody,
  Place,
  Verbs,
  WatchFrame,
  WatchOptions,
  WriteOptions,
} from "../verbs.ts";
import { allKinds } from "./kinds.ts";

export interface Given extends AsyncDisposable {
  registry: Registry;
  verbs: Verbs;
  store: Store;
  clock: FakeClock;
  caller: Caller;
  warnings: string[];
  /** Any numbers, the same ones in each run. */
  random(): number;
}

export async function givenRegistry(
  admissions: readonly Admission[] = [],
  kinds: readonly ServedResource[] = allKinds,
): Promise<Given> {
  const clock = new FakeClock();
  const store = await openStore({ file: ":memory:", clock });
  const served = new ServedResources();
  for (const kind of kinds) served.add(kind);
  const random = numbers(1);
  const registry: Registry = { store, served, admissions, clock, random };
  const warnings: string[] = [];
  const caller: Caller = {
    user: { name: "tester", groups: [] },
    defaultManager: "test",
    signal: new AbortController().signal,
    warn: (text) => warnings.push(text),
  };
  return {
    registry,
    verbs: createVerbs(registry),
    store,
    clock,
    caller,
    warnings,
    random,
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

export const write: WriteOptions = { isDryRun: false, fieldValidation: "Warn" };
export const dryRun: WriteOptions = { ...write, isDryRun: true };
export const strict: WriteOptions = { ...write, fieldValidation: "Strict" };
export const remove: DeleteOptions = { isDryRun: false };

export function body(value: unknown, duplicates: readonly string[] = []): Body {
  return { value: structuredClone(value), duplicates };
}

export function patchOf(type: "json" | "merge" | "strategic", value: unknown): PatchBody {
  return { type, body: body(value) };
}

export function applyOf(value: unknown, force = false): PatchBody {
  return { type: "apply", body: body(value), force };
}

export function at(resource: ServedResource, name: string, namespace = "default"): Place {
  return { resource, namespace: resource.namespaced ? namespace : "", name };
}

/** An object of the kind, with whatever else. */
export function make(resource: ServedResource, name: string, more: Record<string, unknown> = {}): AnyObject {
  const { metadata, ...rest } = more as { metadata?: object };
  const apiVersion = resource.group === "" ? resource.version : `${resource.group}/${resource.version}`;
  return { apiVersion, kind: resource.kind, metadata: { name, ...metadata }, ...rest } as AnyObject;
}

export function create(given: Given, resource: ServedResource, object: AnyObject, options = write) {
  const namespace = resource.namespaced ? "default" : "";
  return given.verbs.create(resource, namespace, body(object), options, given.caller);
}

/** Code, reason and message of a refusal: `409 AlreadyExists: configmaps "a" already exists`. */
export async function refusalOf(action: Promise<unknown>): Promise<string> {
  try {
    await action;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const { code, reason, message } = error.status;
    return `${code} ${reason ?? "-"}: ${message}`;
  }
  return "not refused";
}

/** Reads frames as they come. */
export async function watchOf(
  given: Given,
  resource: ServedResource,
  options: Partial<WatchOptions> = {},
  namespace = "default",
): Promise<{ next(): Promise<WatchFrame | undefined>; frames(count: number): Promise<WatchFrame[]>; stop(): void }> {
  const controller = new AbortController();
  const watch = await given.verbs.watch(resource, namespace, { allowBookmarks: false, ...options }, controller.signal);
  const iterator = watch[Symbol.asyncIterator]();
  const ready: WatchFrame[] = [];
  const next = async () => {
    while (ready.length === 0) {
      const { done, value } = await iterator.next();
      if (done) return undefined;
      ready.push(...value);
    }
    return ready.shift();
  };
  return {
    next,
    async frames(count) {
      const frames: WatchFrame[] = [];
      for (let frame = 0; frame < count; frame++) frames.push((await next()) as WatchFrame);
      return frames;
    },
    stop: () => controller.abort(),
  };
}
