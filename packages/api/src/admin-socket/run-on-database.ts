/** The commands of `berg admin` while no API runs. */
import { openDatabase } from "@berg/database";
import { silentLogger, systemClock } from "@berg/kube";
import { migrations } from "../database/migrations.ts";
import type { Tables } from "../database/schema.ts";
import { Replicas } from "../replicas/replicas.ts";
import { type AdminAnswer, type AdminCommand, adminCommand, runAdminCommand } from "./commands.ts";

export async function runAdminCommandOn(
  { database, publicUrl }: { database: string; publicUrl: string },
  command: AdminCommand,
): Promise<AdminAnswer> {
  const { success, data, error } = adminCommand.safeParse(command);
  if (!success) throw new Error(error.issues.map(({ message }) => message).join("; "));
  await using opened = await openDatabase<Tables>({ database, component: "api", migrations, synchronous: "full" });
  const { db, address } = opened;
  // On PostgreSQL, replicas that run hear of what changes.
  const replicas = new Replicas({ db, address, clock: systemClock, log: silentLogger });
  return await runAdminCommand({ db, clock: systemClock, publicUrl, replicas }, data);
}
