/** One piece of work in a target, as its administrator: what each step of decide.ts does there. */
import { isNotFound, type Stored } from "@berg/apimachinery";
import { type Client, type Clock, deleteChild, type Secret, Secrets } from "@berg/kube";
import type { Target } from "../target/target.ts";
import { accessNamespace } from "../vocabulary.ts";
import { anchorName, isOf, type Request } from "./names.ts";
import type { Seen } from "./seen.ts";
import type { Issue } from "./status.ts";
import { type Granted, grant } from "./target/grant.ts";
import { epochOfAnchor, type Holdings, holdingsOf } from "./target/holdings.ts";
import { mint, type Token } from "./target/token.ts";

export interface Work {
  granted: Granted;
  /** What was published before a crash and the status does not tell yet. */
  adopted?: Issue;
  /** A new one, not published yet. */
  minted?: { token: Token; epoch: number };
}

interface Around {
  clock: Clock;
  signal: AbortSignal;
}

/**
 * Rights as the spec has them, and a new token where `needed`, or where the one that is published is of no use any more.
 * `published`: what the Secret beside the request says.
 */
export async function work(
  target: Target,
  seen: Seen,
  needed: boolean,
  published: Issue | undefined,
  { clock, signal }: Around,
): Promise<Work> {
  const { request } = seen;
  const { client } = target;
  const held = await holdingsOf(client, request, signal);
  const granted = await grant(client, request, held, { allowEscalating: seen.allowEscalating, signal });
  const { account, missingNamespace } = granted;
  const { status = {} } = request;
  const adopted = adoptable(request, held, published, account.metadata.uid, seen.now);
  await removeUnknown(client, request, held, adopted?.epoch, signal);
  if (adopted) return { granted, adopted };
  // Whoever has access keeps it; who has none yet does not get half of it.
  if (missingNamespace !== undefined && status.issuedAt === undefined) return { granted };
  const isDead = account.metadata.uid !== status.serviceAccountUid || !anchorOf(request, held, status.epoch);
  if (!needed && !isDead) return { granted };
  const epoch = Math.max(status.epoch ?? 0, published?.epoch ?? 0) + 1;
  return { granted, minted: { token: await mint(target, request, account, epoch, { clock, signal }), epoch } };
}

/** Removes the anchors of those whose time is up. They are known by name: nothing has to be searched for. */
export async function retire(client: Client, { request, now }: Seen, signal: AbortSignal): Promise<void> {
  const over = (request.status?.retiring ?? []).filter(({ until }) => Date.parse(until) <= now);
  for (const { epoch } of over) {
    const anchor = await readAnchor(client, request, epoch, signal);
    if (anchor && isOf(request, anchor)) await deleteChild(client, Secrets, anchor, { signal });
  }
}

async function readAnchor(
  client: Client,
  request: Request,
  epoch: number,
  signal: AbortSignal,
): Promise<Stored<Secret> | undefined> {
  try {
    return await client.get(Secrets, accessNamespace, anchorName(request, epoch), { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Published, newer than what the status says, and good. */
function adoptable(request: Request, held: Holdings, published: Issue | undefined, accountUid: string, now: number) {
  if (!published || published.epoch <= (request.status?.epoch ?? 0)) return undefined;
  const isGood =
    published.serviceAccountUid === accountUid &&
    published.life.expiresAt > now &&
    anchorOf(request, held, published.epoch)?.metadata.uid === published.anchorUid;
  return isGood ? published : undefined;
}

/** A token whose publication never came is known to nobody, and its anchor goes. */
async function removeUnknown(
  client: Client,
  request: Request,
  { anchors }: Holdings,
  adopted: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { epoch: current, retiring = [] } = request.status ?? {};
  const kept = [current, adopted, ...retiring.map((each) => each.epoch)];
  for (const each of anchors) {
    const epoch = epochOfAnchor(request, each);
    if (epoch === undefined || !kept.includes(epoch)) await deleteChild(client, Secrets, each, { signal });
  }
}

function anchorOf(request: Request, { anchors }: Holdings, epoch: number | undefined): Stored<Secret> | undefined {
  return anchors.find((each) => epoch !== undefined && epochOfAnchor(request, each) === epoch);
}
