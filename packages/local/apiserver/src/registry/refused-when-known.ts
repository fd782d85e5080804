/**
 * A write is decided on what is on its way to disk, too. Where that is why it is refused, whoever is told so and looks
 * must find it: "already exists" and then "not found" would be a lie, and where the disk fails it would stay one.
 */
import type { Registry } from "./registry.ts";

export function refusedWhenKnown<A extends unknown[], R>(
  registry: Registry,
  write: (registry: Registry, ...args: A) => Promise<R>,
): (...args: A) => Promise<R> {
  return async (...args) => {
    try {
      return await write(registry, ...args);
    } catch (error) {
      await registry.store.settled();
      throw error;
    }
  };
}
