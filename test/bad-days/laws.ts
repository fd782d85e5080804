/** What must hold when a bad day is over and everything has settled. */
import type { Stored } from "@berg/apimachinery";
import { annotations, type ChallengeInstance, ChallengeInstances } from "@berg/resources";
import type { Cluster } from "../api/cluster.ts";
import { SignedIn } from "../api/site.ts";
import type { Load } from "./load.ts";
import type { Page } from "./members.ts";

interface Row {
  id: string;
  owner_id: string;
  state: string;
  stop_requested_at: number | null;
  termination_reason: string | null;
}

export interface Judged {
  /** What is not as it must be yet. It counts when it stays so. */
  unsettled: string[];
  /** Never right, not even for a moment. */
  broken: string[];
}

export async function judge(cluster: Cluster, { promised }: Load, pages: readonly Page[]): Promise<Judged> {
  const rows = await cluster.rows<Row>("instances");
  const { items: objects } = await cluster.client.list(ChallengeInstances, { namespace: cluster.world.namespace });
  const byId = new Map(rows.map((row) => [row.id, row]));
  const broken: string[] = [];
  for (const [id, owner] of promised.started) {
    if (byId.get(id)?.owner_id !== owner) broken.push(`the start of ${id} was answered, and ${owner} has no row of it`);
  }
  for (const id of promised.stopped) {
    const row = byId.get(id);
    const isStopped = row && (row.stop_requested_at !== null || row.state === "ended");
    if (!isStopped) broken.push(`the stop of ${id} was answered, and its row is ${row?.state ?? "missing"}`);
  }
  for (const [owner, own] of Object.entries(Object.groupBy(objects, ({ spec }) => spec.ownerId))) {
    if (own && own.length > 1) broken.push(`${owner} has ${own.length} instances`);
  }
  for (const object of objects) {
    if (!byId.has(idOf(object))) broken.push(`${object.metadata.name} has no row`);
  }
  const unsettled = [
    ...rows.flatMap((row) => unsettledRow(row, objects)),
    ...objects.flatMap((object) =>
      byId.get(idOf(object))?.state === "ended" ? [`${object.metadata.name} outlives the end of its row`] : [],
    ),
    ...(await Promise.all(pages.map((page) => unsettledPage(cluster, page)))).flat(),
  ];
  return { unsettled, broken: [...broken, ...pages.flatMap((page) => page.broken)] };
}

const idOf = ({ metadata }: Stored<ChallengeInstance>) => metadata.annotations?.[annotations.instanceId] ?? "";

function unsettledRow({ id, state, termination_reason: reason }: Row, objects: Stored<ChallengeInstance>[]): string[] {
  if (state === "ended") return reason === null ? [`${id} ended without a reason`] : [];
  const phase = objects.find((object) => idOf(object) === id)?.status?.phase ?? "missing";
  return state === "created" && phase === "Running" ? [] : [`${id} is ${state}, and its object is ${phase}`];
}

async function unsettledPage(cluster: Cluster, { isOpen, instance, member }: Page): Promise<string[]> {
  if (!isOpen || !instance) return [`the page of ${member.id} is not connected`];
  const { id, phase } = await new SignedIn(cluster, member.cookie).instance();
  const isSame = id === instance.id && phase === instance.phase;
  return isSame ? [] : [`the page of ${member.id} shows ${instance.id} ${instance.phase}, and it is ${id} ${phase}`];
}
