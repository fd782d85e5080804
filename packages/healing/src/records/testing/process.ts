/**
 * One of several processes that share records: notes pods of many lives, then stops some, and prints which it was the
 * first to stop. `node process.ts <its name> <lives>`, with DATABASE_URL.
 */
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
const won: number[] = [];
for (const number of numbers.map((number) => number + numbers.length)) {
  const life = lifeNumber(number);
  await records.live(life);
  if (await records.stop(life.uid, startedAt + number)) won.push(number);
}
process.stdout.write(`${JSON.stringify(won)}\n`);
