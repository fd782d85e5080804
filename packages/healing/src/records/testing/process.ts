/**
 * One of several processes that share records: notes pods of many lives, says so, waits for a word that all others have,
 * then stops some, and prints which it was the first to stop. `node process.ts <its name> <lives>`, with DATABASE_URL.
 */
import { once } from "node:events";
import { openDatabaseRecords } from "../database/database-records.ts";
import { lifeNumber, startedAt } from "./place.ts";

const [, , name = "", lives = "0"] = process.argv;
await using records = await openDatabaseRecords({ database: process.env.DATABASE_URL ?? "" });
// Whoever waits for this may kill the process from now on.
process.stdout.write("open\n");
const numbers = Array.from({ length: Number(lives) }, (_, index) => index + 1);
for (const number of numbers) {
  const life = lifeNumber(number);
  await records.live({ ...life, status: "RUNNING" });
  await records.pod(life.uid, name, { uid: `pod-of-${name}`, restarts: number });
}
const toStop = numbers.map((number) => number + numbers.length);
for (const number of toStop) await records.live(lifeNumber(number));
process.stdout.write("noted\n");
await once(process.stdin, "data");
process.stdin.destroy();
const won: number[] = [];
for (const number of toStop) {
  if (await records.stop(lifeNumber(number).uid, startedAt + number)) won.push(number);
}
process.stdout.write(`${JSON.stringify(won)}\n`);
