/** The OpenAPI documents, one for each group and version: made when they are asked for, and again when kinds change. */
import { createHash } from "node:crypto";
import { type Group, groupsOf } from "../discovery/groups.ts";
import type { ServedResource } from "../registry/resource.ts";
import type { ServedResources } from "../registry/served-resources.ts";
import { pathsOf } from "./paths.ts";
import { commonSchemas, schemasOf } from "./schemas.ts";

export interface Document {
  bytes: Buffer;
  /** Changes with it. */
  hash: string;
}

export class OpenApi {
  readonly #served: ServedResources;
  #generation = -1;
  #documents = new Map<string, Document>();
  #resources = new Map<string, readonly ServedResource[]>();

  constructor(served: ServedResources) {
    this.#served = served;
  }

  /** `/openapi/v3`: where each document is. A client asks only for those whose hash is new to it. */
  index() {
    this.#follow();
    const paths = [...this.#resources.keys()].map((path) => {
      const hash = this.document(path)?.hash ?? "";
      return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }] as const;
    });
    return { paths: Object.fromEntries(paths) };
  }

  /** `path`: `apis/apps/v1`. */
  document(path: string): Document | undefined {
    this.#follow();
    const resources = this.#resources.get(path);
    if (!resources) return undefined;
    const known = this.#documents.get(path) ?? documentOf(resources);
    this.#documents.set(path, known);
    return known;
  }

  #follow(): void {
    if (this.#generation === this.#served.generation) return;
    const before = this.#resources;
    this.#generation = this.#served.generation;
    this.#resources = byPath(groupsOf(this.#served.all()));
    // A new kind changes one document; the rest, which are large, stay.
    for (const path of this.#documents.keys()) {
      if (!isSame(before.get(path), this.#resources.get(path))) this.#documents.delete(path);
    }
  }
}

function byPath(groups: readonly Group[]): Map<string, readonly ServedResource[]> {
  return new Map(
    groups.flatMap(({ name, versions }) =>
      versions.map(({ groupVersion, resources }) => [`${name === "" ? "api" : "apis"}/${groupVersion}`, resources]),
    ),
  );
}

function isSame(before: readonly ServedResource[] | undefined, now: readonly ServedResource[] | undefined): boolean {
  return before?.length === now?.length && before?.every((resource, index) => resource === now?.[index]) === true;
}

function documentOf(resources: readonly ServedResource[]): Document {
  const document = {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: "1.36" },
    paths: Object.assign({}, ...resources.map(pathsOf)),
    components: { schemas: Object.assign({}, ...resources.map(schemasOf), commonSchemas) },
  };
  const bytes = Buffer.from(JSON.stringify(document));
  return { bytes, hash: createHash("sha512").update(bytes).digest("hex").toUpperCase() };
}
