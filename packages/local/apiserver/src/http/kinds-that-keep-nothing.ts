/** Kinds of which nothing is stored: a question is created, and the answer is in what comes back. */
import { methodNotAllowed, noSuchPath } from "../errors/refusals.ts";
import type { ServedResource } from "../registry/resource.ts";
import type { Admitted } from "./parts.ts";
import { resourceKey } from "./resource-requests.ts";
import { createAt } from "./subresources.ts";

export async function answerKind(
  admitted: Admitted,
  resource: ServedResource,
  namespace: string,
  isCollection: boolean,
): Promise<void> {
  if (!isCollection || (resource.namespaced && namespace === "")) throw noSuchPath();
  const create = admitted.parts.endpoints[resourceKey(resource)]?.create;
  if (!create || admitted.exchange.method !== "POST") throw methodNotAllowed();
  await createAt(admitted, { resource, namespace, name: "" }, create, resource);
}
