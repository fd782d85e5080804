/** One piece of work in a target, as its administrator: what each step of decide.ts does there. */
import { isNotFound, type Stored } from "@berg/apimachinery";
import { type Client, type Clock, deleteChild, type Secret, Secrets, ServiceAccounts } from "@berg/kube";
import type { Target } from "../target/target.ts";
import { accessNamespace } from "../vocabulary.ts";
import { isElsewhere, isLeft, type Reached, reachedBy, serversOf } from "./elsewhere.ts";
import { accessName, anchorName, type Request, selectorOf } from "./names.ts";
import { endOf, newestEpochOf, type Seen } from "./seen.ts";
import { hasRights } from "./status/granted.ts";
import type { Issue } from "./status/issued.ts";
import { isFull } from "./status/retiring.ts";
import type { AccessNamespaces } from "./target/access-namespaces.ts";
import { type Granted, grant } from "./target/grant.ts";
import { epochOfAnchor, foundIn, type Holdings, holdingsOf, usualHoldingsOf } from "./target/holdings.ts";
import { mint, type Token } from "./target/token.ts";
import { TargetTrouble } from "./trouble.ts";
import { conditionTypes, reasons, texts } from "./vocabulary.ts";

export interface Work {
  granted: Granted;
  reached: Reached;
  /** What was published before a crash and the status does not tell yet. */
  adopted?: Issue;
  /** A new one, not published yet. */
  minted?: { token: Token; epoch: number };
}

interface Around {
  accessNamespaces: AccessNamespaces;
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
  { accessNamespaces, clock, signal }: Around,
): Promise<Work> {
  const { request } = seen;
  const { client } = target;
  const isUsual = hasRights(request) && !isElsewhere(target, request.status);
  const held = await (isUsual ? usualHoldingsOf : holdingsOf)(client, request, signal);
  const { allowEscalating } = seen;
  const granted = await grant(client, request, held, { accessNamespaces, allowEscalating, clock, signal });
  const { account, missingNamespace } = granted;
  const before = reachedBy(seen, target, foundIn(held, request));
  const reached = { ...before, accounts: [...new Set([...before.accounts, account.metadata.uid])] };
  const { status = {} } = request;
  const adopted = adoptable(request, held, published, account.metadata.uid, seen.now);
  await removeUnknown(client, request, held, adopted?.epoch, signal);
  if (adopted) return { granted, reached, adopted };
  // Whoever has access keeps it; who has none yet does not get half of it.
  if (missingNamespace !== undefined && status.issuedAt === undefined) return { granted, reached };
  const isDead = account.metadata.uid !== status.serviceAccountUid || !anchorOf(request, held, status.epoch);
  if (!needed && !isDead) return { granted, reached };
  if (isFull(request, reached)) throw tooMany(request);
  const epoch = Math.max(newestEpochOf(status), published?.epoch ?? 0) + 1;
  const token = await mint(target, request, account, epoch, { clock, signal });
  return { granted, reached, minted: { token, epoch } };
}

/** Whoever leads a Cluster from one cluster to the next, over and over, waits until the first of them has come to its end. */
function tooMany({ status }: Request): TargetTrouble {
  const message = texts.tooMany(serversOf({ retiring: status?.retiring ?? [] }));
  return new TargetTrouble({ type: conditionTypes.issued, reason: reasons.tooMany, message, again: true });
}

/**
 * Removes the anchors of those whose time is up. Each is deleted as a selection of its name and the request's marks: so
 * somebody else's is let be without having to be looked at first, and no name is used twice.
 */
export async function removeRetired(target: Target, seen: Seen, signal: AbortSignal): Promise<Reached> {
  const { request, now } = seen;
  const { status = {} } = request;
  const reachedWith = (accountUid: string | undefined) => reachedBy(seen, target, { accountUid, hasMore: false });
  const isOther = isElsewhere(target, status);
  const reached = reachedWith(isOther ? await accountUidIn(target, request, signal) : status.serviceAccountUid);
  const over = (status.retiring ?? []).filter(({ until }) => Date.parse(until) <= now);
  let isSure = true;
  for (const each of over.filter((former) => !isLeft(former, reached))) {
    const deleted = await target.client.deleteCollection(Secrets, {
      namespace: accessNamespace,
      labelSelector: selectorOf(request),
      fieldSelector: `metadata.name=${anchorName(request, each.epoch)}`,
      signal,
    });
    isSure &&= deleted.length > 0 || endOf(each) <= now;
  }
  // What was not there is gone already, or is in another cluster that was at this address before.
  return isOther || isSure ? reached : reachedWith(await accountUidIn(target, request, signal));
}

async function accountUidIn(target: Target, request: Request, signal: AbortSignal): Promise<string | undefined> {
  try {
    return (await target.client.get(ServiceAccounts, accessNamespace, accessName(request), { signal })).metadata.uid;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Published, newer than what the status says, and good. */
function adoptable(request: Request, held: Holdings, published: Issue | undefined, accountUid: string, now: number) {
  if (!published || request.spec.output !== "Secret") return undefined;
  if (published.epoch <= (request.status?.epoch ?? 0)) return undefined;
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
