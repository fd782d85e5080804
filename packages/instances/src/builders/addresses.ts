/**
 * Where an instance is found: what no pod has to wait for. The server takes longest for a Service, as it writes down its
 * address besides, so that every pod would start later for it.
 */
import type { Blueprint, Child, RouteTypes } from "./blueprint.ts";
import { routes } from "./routes.ts";
import { isAtNodes, services } from "./services.ts";

/** All but the ports at the nodes (`foundation`). */
export function addresses(blueprint: Blueprint, routeTypes: RouteTypes): Child[] {
  return [...services(blueprint).filter((child) => !isAtNodes(child)), ...routes(blueprint, routeTypes)];
}
