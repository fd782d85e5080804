/** What the list of instances shows, as it stands in the address of the page and in the request to the API. */
import type { AdminInstances, adminInstancesQuery, instanceSorts } from "@berg/api/wire";

export type AdminQuery = Omit<(typeof adminInstancesQuery)["_output"], "pageSize">;
export type InstanceSort = (typeof instanceSorts)[number];

export const pageSize = 50;

const defaults: AdminQuery = {
  search: "",
  challenge: "",
  phase: "",
  state: "open",
  sort: "startedAt",
  order: "desc",
  page: 1,
};

const states: readonly string[] = ["open", "ended", "all"] satisfies AdminQuery["state"][];
const sorts: readonly string[] = ["startedAt", "timeout", "owner", "challenge", "phase"] satisfies InstanceSort[];

/** An address may have been edited by hand: what makes no sense counts as absent. */
export function parseAdminQuery(params: URLSearchParams): AdminQuery {
  const text = (name: string) => params.get(name) ?? "";
  const oneOf = <Value extends string>(name: string, allowed: readonly string[], fallback: Value) =>
    allowed.includes(text(name)) ? (text(name) as Value) : fallback;
  const page = Number(text("page"));
  return {
    search: text("search"),
    challenge: text("challenge"),
    phase: text("phase"),
    state: oneOf("state", states, defaults.state),
    sort: oneOf("sort", sorts, defaults.sort),
    order: oneOf("order", ["asc", "desc"], defaults.order),
    page: Number.isInteger(page) && page > 0 ? page : 1,
  };
}

/** Only what differs from the defaults: for the address, and, with the size of a page, for the API. */
export function formatAdminQuery(query: AdminQuery): URLSearchParams {
  const entries = Object.entries(query).filter(([name, value]) => value !== defaults[name as keyof AdminQuery]);
  return new URLSearchParams(entries.map(([name, value]) => [name, String(value)]));
}

/** A change of anything but the page leads back to the first page. */
export function changeAdminQuery(query: AdminQuery, change: Partial<AdminQuery>): AdminQuery {
  return { ...query, page: 1, ...change };
}

/** The same column turns the order round. Times begin with the newest, names with A. */
export function sortBy(query: AdminQuery, sort: InstanceSort): AdminQuery {
  const first = sort === "startedAt" ? "desc" : "asc";
  const order = query.sort === sort ? (query.order === "asc" ? "desc" : "asc") : first;
  return changeAdminQuery(query, { sort, order });
}

/** Never less than one, so that an empty list is page 1 of 1. */
export function pageCount({ total, pageSize: size }: Pick<AdminInstances, "total" | "pageSize">): number {
  return Math.max(1, Math.ceil(total / size));
}
