import type { Challenge } from "@berg/resources";
import { expect, test } from "vitest";
import { drawFlag, flagHmac } from "./flags.ts";

const key = Buffer.alloc(32, 1);
const containers = [{ hostname: "web", image: "web:1", dynamicFlag: { env: { name: "FLAG" } } }];
const challenge = (spec: object) =>
  ({ metadata: { name: "web" }, spec: { containers, ...spec } }) as unknown as Challenge;

/** Counts up, so that each draw is another. */
function counting() {
  let drawn = 0;
  return (count: number) => new Uint8Array(count).fill(drawn++);
}

test("a flag that another instance had is not drawn", async () => {
  const used = new Set(["flag{x_000000000000}", "flag{x_010101010101}"].map((flag) => flagHmac(key, flag)));
  const isTaken = async (hmac: string) => used.has(hmac);
  const drawn = await drawFlag(challenge({ flag: "flag{x}" }), { key, randomBytes: counting(), isTaken });
  expect(drawn).toEqual({
    flag: "flag{x_020202020202}",
    flag_hmac: flagHmac(key, "flag{x_020202020202}"),
    flag_reused: 0,
  });
});

test("where every form is used, one is used again and marked", async () => {
  const options = { key, randomBytes: counting(), isTaken: async () => true };
  const drawn = await drawFlag(challenge({ flag: "flag{b}", dynamicFlagMode: "leetify" }), options);
  expect(drawn).toMatchObject({ flag: "flag{b}", flag_reused: 1 });
});

test("a challenge without a flag of its instances stores none", async () => {
  const isStatic = challenge({ flag: "flag{x}", containers: [{ hostname: "web", image: "web:1" }] });
  const isTaken = async () => false;
  expect(await drawFlag(isStatic, { key, randomBytes: counting(), isTaken })).toEqual({
    flag: null,
    flag_hmac: null,
    flag_reused: 0,
  });
});
