/**
 * Where sign-ins came from: stored with the session, so that players recognise a stranger among their sessions, and erased
 * after ADDRESS_RETENTION. No other table contains addresses.
 */
import { durationToMs, parseDuration } from "@berg/apimachinery";
import { ConfigurationError } from "@berg/kube";
import type { Kysely } from "kysely";
import type { ApiSettings } from "../context.ts";
import type { Tables } from "../database/schema.ts";

const dayMs = 24 * 3_600_000;
const defaultRetentionMs = 30 * dayMs;
const longestDays = 3650;

/** The environment variable, with its default. */
export const addressVariables = [
  {
    name: "ADDRESS_RETENTION",
    default: "30d",
    description: "how long the addresses of sign-ins are stored, such as 30d or 12h; 0 or none: not at all",
  },
] as const;

/** In milliseconds; 0: no addresses are stored. */
export function readAddressRetention(env: Record<string, string | undefined>): number {
  const [{ name, default: byDefault }] = addressVariables;
  const text = env[name]?.trim() || byDefault;
  const ms = text === "none" ? 0 : parseRetention(text);
  if (ms === 0 || (ms >= 60_000 && ms <= longestDays * dayMs)) return ms;
  throw new ConfigurationError(
    `cannot read ${name}: "${text}" is not a time such as 30d or 12h, from 1m to ${longestDays}d, nor 0 or none`,
  );
}

/** NaN where it is none. */
function parseRetention(text: string): number {
  const days = /^(\d{1,5})d$/.exec(text)?.[1];
  if (days !== undefined) return Number(days) * dayMs;
  try {
    return durationToMs(parseDuration(text));
  } catch {
    return Number.NaN;
  }
}

export function retentionOf({
  addressRetentionMs = defaultRetentionMs,
}: Pick<ApiSettings, "addressRetentionMs">): number {
  return addressRetentionMs;
}

/** Undefined where no addresses are stored. */
export function addressToStore(settings: Pick<ApiSettings, "addressRetentionMs">, address: string): string | undefined {
  // Node names an IPv4 client so if it listens on IPv6.
  return retentionOf(settings) === 0 ? undefined : address.replace(/^::ffff:(?=\d+\.)/, "");
}

/** Of sign-ins and submitted flags at `before` or earlier. Idempotent: any number of replicas may do it at the same time. */
export async function eraseAddresses(db: Kysely<Tables>, before: number): Promise<void> {
  await db
    .updateTable("session")
    .set({ address: null })
    .where("address", "is not", null)
    .where("created_at", "<=", before)
    .execute();
  await db
    .updateTable("submission")
    .set({ address: null })
    .where("address", "is not", null)
    .where("at", "<=", before)
    .execute();
}
