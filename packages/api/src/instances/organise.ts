/** What organisers do with the instances of all owners: list, stop and extend them. */
import { durationFromMs, formatDuration, parseTime } from "@berg/apimachinery";
import { countedFrom } from "@berg/resources";
import type { z } from "zod";
import type { ApiContext } from "../context.ts";
import type { InstanceRow } from "../database/schema.ts";
import { findPlayersByIds } from "../players/store.ts";
import { ProblemError } from "../problems.ts";
import type { AdminInstance, AdminInstances, adminInstancesQuery } from "../wire.ts";
import { changeSpec, idOf, objectOf } from "./objects.ts";
import { presentEnded, presentInstance, presentWithoutRow } from "./present.ts";
import { allOpenRows, findRow, pageOfRows, requestStop } from "./store.ts";

type Query = z.infer<typeof adminInstancesQuery>;

/**
 * Open instances are filtered and sorted here, since their phases are in Kubernetes; ended ones, of which there are many
 * more, by the database.
 */
export async function listInstances(context: ApiContext, query: Query): Promise<AdminInstances> {
  const { page, pageSize } = query;
  if (query.state !== "open") {
    const { rows, total } = await pageOfRows(context.db, query);
    return { items: await presentRows(context, rows), total, page, pageSize };
  }
  const rows = await allOpenRows(context.db);
  const known = new Set(rows.map(({ id }) => id));
  const withoutRow = context
    .caches()
    .instances.list()
    .filter((object) => !known.has(idOf(object) ?? ""))
    .map((object) => ({ ...presentWithoutRow(object), ownerName: null, terminationReason: null }));
  const all = [...(await presentRows(context, rows)), ...withoutRow];
  const found = all.filter((one) => isFound(one, query)).sort(comparison(query));
  return { items: found.slice((page - 1) * pageSize, page * pageSize), total: found.length, page, pageSize };
}

/** Ends as `AdminTermination`. */
export async function stopById(context: ApiContext, id: string): Promise<AdminInstance> {
  const row = await requireOpenRow(context, id);
  try {
    await requestStop(context.db, row.id, context.clock.now(), "AdminTermination");
  } finally {
    context.reconcileOwner(row.owner_id);
  }
  return presentById(context, id);
}

/** Uses up none of the owner's extensions. */
export async function extendById(
  context: ApiContext,
  id: string,
  minutes: number,
  signal: AbortSignal,
): Promise<AdminInstance> {
  const row = await requireOpenRow(context, id);
  await changeSpec(
    context,
    row,
    ({ status = {} }) => {
      const from = countedFrom(status);
      if (from === undefined || status.expiresAt === undefined) {
        throw new ProblemError("renewal_refused", "Its time has not begun, or it does not end by itself.");
      }
      const timeoutMs = parseTime(status.expiresAt) + minutes * 60_000 - from;
      return { timeout: formatDuration(durationFromMs(timeoutMs)) };
    },
    signal,
  );
  return presentById(context, id);
}

export async function requireRow({ db }: ApiContext, id: string): Promise<InstanceRow> {
  const row = await findRow(db, id);
  if (!row) throw new ProblemError("not_found", `There is no instance "${id}".`);
  return row;
}

async function requireOpenRow(context: ApiContext, id: string): Promise<InstanceRow> {
  const row = await requireRow(context, id);
  if (row.terminated_at !== null) throw new ProblemError("nothing_running", "The instance has ended.");
  return row;
}

async function presentById(context: ApiContext, id: string): Promise<AdminInstance> {
  const [shown] = await presentRows(context, [await requireRow(context, id)]);
  return shown as AdminInstance;
}

async function presentRows(context: ApiContext, rows: readonly InstanceRow[]): Promise<AdminInstance[]> {
  const owners = await findPlayersByIds(context.db, [...new Set(rows.map(({ owner_id }) => owner_id))]);
  const names = new Map(owners.map(({ id, name }) => [id, name]));
  const maxRenewals = context.maxRenewals();
  return rows.map((row) => ({
    ...(row.terminated_at === null
      ? presentInstance({
          row,
          object: objectOf(context, row),
          recipientId: row.owner_id,
          maxRenewals,
          isForStaff: true,
        })
      : presentEnded(row)),
    ownerName: names.get(row.owner_id) ?? null,
    terminationReason: row.termination_reason,
  }));
}

function isFound({ id, name, ownerId, ownerName, phase }: AdminInstance, query: Query): boolean {
  const search = query.search.toLowerCase();
  return (
    (query.challenge === "" || name === query.challenge) &&
    (query.phase === "" || phase === query.phase) &&
    [id, name, ownerId, ownerName].some((text) => text?.toLowerCase().includes(search))
  );
}

function comparison({ sort, order }: Query): (one: AdminInstance, other: AdminInstance) => number {
  const sortKey = {
    startedAt: ({ startedAt }: AdminInstance) => startedAt ?? "",
    // Those that never end come last.
    timeout: ({ timeout }: AdminInstance) => timeout ?? "9999",
    owner: ({ ownerName, ownerId }: AdminInstance) => (ownerName ?? ownerId ?? "").toLowerCase(),
    challenge: ({ name }: AdminInstance) => name,
    phase: ({ phase }: AdminInstance) => phase,
  }[sort];
  const sign = order === "asc" ? 1 : -1;
  return (one, other) => {
    const [a, b] = [sortKey(one), sortKey(other)];
    // The id decides between equals, so that pages do not overlap.
    if (a === b) return (one.id ?? "") < (other.id ?? "") ? -1 : 1;
    return a < b ? -sign : sign;
  };
}
