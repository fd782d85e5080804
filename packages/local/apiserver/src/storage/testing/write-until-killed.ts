/**
 * Writes to a store as fast as it can until it is killed, and says on stdout, line by line, what was acknowledged:
 * `start <revision>`, then `<key> <step> <revision>`. Each of its writers has one object; every fifth step removes it.
 *
 *     node write-until-killed.ts <file> <first step>
 */
import { writeSync } from "node:fs";
import type { Clock } from "@berg/kube";
import { note } from "../fixtures.ts";
import { openStore } from "../open-store.ts";

const [file = "", firstStep = "1"] = process.argv.slice(2);
// All that a store asks of a clock, without loading the rest of the package each time that this is started.
const clock = { monotonic: () => performance.now() } as Clock;
const store = await openStore({ file, clock });
const notes = store.table("notes");
// Not through process.stdout: what was acknowledged must be told before the next thing is done.
writeSync(1, `start ${store.revision}\n`);

async function writer(name: string): Promise<never> {
  const key = `ctf/${name}`;
  for (let step = Number(firstStep); ; step++) {
    const old = notes.newest(key);
    const { metadata } = await (step % 5 === 0 && old
      ? notes.remove(key, old)
      : notes.put(note("ctf", name, step % 5 === 0 ? "gone" : `${step} ${"x".repeat(500)}`)));
    writeSync(1, `${key} ${step} ${metadata.resourceVersion}\n`);
  }
}

await Promise.all(Array.from({ length: 20 }, (_, index) => writer(`writer-${index}`)));
