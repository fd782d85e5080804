/** From a question of a pod to the bytes that answer it: names of the cluster here, others outside if it may ask. */
import { type Finding, findName, type NamesInReach } from "./cluster-names.ts";
import { type DnsRecord, type Question, readQuestion, recordTypes, responseCodes, writeReply } from "./message.ts";
import type { Upstream } from "./upstream.ts";

/** What the pod that asks may know. */
export interface Asker {
  readonly reach: NamesInReach;
  /** Whether its policies let it speak to the world. Else a name that is looked up outside would carry its data there. */
  readonly mayAskOutside: boolean;
}

const longestOverTcp = 65_535;
/** Names for names for names. */
const mostAliases = 8;

/** Undefined for what deserves no answer. `asker` is undefined for those who may not ask at all. */
export async function answerMessage(
  message: Buffer,
  over: "udp" | "tcp",
  asker: Asker | undefined,
  upstream: Upstream,
): Promise<Buffer | undefined> {
  const question = readQuestion(message);
  if (!question) return undefined;
  const reply = (parts: Parameters<typeof writeReply>[1]) =>
    writeReply(question, parts, over === "tcp" ? longestOverTcp : question.maxSize);
  if (!asker) return reply({ code: responseCodes.refused, answers: [] });

  const aliases: DnsRecord[] = [];
  let labels = question.labels;
  for (;;) {
    const finding = findName({ labels, type: question.type }, asker.reach);
    if (finding === "not of this cluster") break;
    if (!("alias" in finding)) return reply(replyOf(finding, aliases));
    aliases.push({ name: labels.join("."), type: "CNAME", target: finding.alias });
    labels = finding.alias.split(".");
    if (aliases.length > mostAliases) return reply({ code: responseCodes.serverFailure, answers: [] });
  }

  if (!asker.mayAskOutside) return reply({ code: responseCodes.noSuchName, answers: aliases });
  try {
    if (aliases.length === 0) return await upstream.relay(message, over);
    const outside = await outsideAddresses(labels.join("."), question, upstream);
    return reply({ code: responseCodes.noError, answers: [...aliases, ...outside] });
  } catch {
    return reply({ code: responseCodes.serverFailure, answers: aliases });
  }
}

function replyOf(finding: Exclude<Finding, string | { alias: string }>, aliases: readonly DnsRecord[]) {
  if ("noSuchNameIn" in finding)
    return { code: responseCodes.noSuchName, answers: aliases, zone: finding.noSuchNameIn };
  const { records, additional = [], zone } = finding;
  return { code: responseCodes.noError, answers: [...aliases, ...records], additional, zone };
}

async function outsideAddresses(name: string, { type }: Question, upstream: Upstream): Promise<DnsRecord[]> {
  if (type !== recordTypes.A) return [];
  return (await upstream.addresses(name)).map((address) => ({ name, type: "A", address }));
}
