import type { LookupAddress } from "node:dns";
import { expect, test } from "vitest";
import { Lookups } from "./lookup.ts";

function given() {
  const asked: { name: string; answer: (addresses: LookupAddress[]) => void; fail: () => void }[] = [];
  const { lookup } = new Lookups((name, _, told) => {
    const fail = () => told(Object.assign(new Error("not found"), { code: "ENOTFOUND" }), undefined as never);
    asked.push({ name, answer: (addresses) => told(null, addresses), fail });
  });
  const ask = (name: string, all = true) =>
    new Promise<unknown>((resolve) =>
      lookup(name, { all }, (error, address, family) =>
        resolve(error ? error.code : all ? address : [address, family]),
      ),
    );
  return { asked, ask };
}

const somewhere = [{ address: "10.0.0.7", family: 4 }];

test("localhost is not asked for", async () => {
  const { asked, ask } = given();
  expect(await ask("localhost")).toEqual([
    { address: "127.0.0.1", family: 4 },
    { address: "::1", family: 6 },
  ]);
  expect(await ask("localhost", false)).toEqual(["127.0.0.1", 4]);
  expect(asked).toEqual([]);
});

test("who asks for a name while it is looked up waits for the same answer; who comes later asks anew", async () => {
  const { asked, ask } = given();
  const [first, second, other] = [ask("db"), ask("db"), ask("bot")];
  expect(asked.map(({ name }) => name)).toEqual(["db", "bot"]);
  asked[0]?.answer(somewhere);
  expect(await Promise.all([first, second])).toEqual([somewhere, somewhere]);
  const later = ask("db", false);
  asked[2]?.answer(somewhere);
  expect(await later).toEqual(["10.0.0.7", 4]);
  asked[1]?.fail();
  expect(await other).toBe("ENOTFOUND");
});
