import { expect, test } from "vitest";
import { settle } from "../testing/fake-clock.ts";
import { FewAtOnce } from "./few-at-once.ts";

const { signal } = new AbortController();

/** Work that goes on until it is told to end. */
function works(few: FewAtOnce, begun: string[]) {
  const ends = new Map<string, PromiseWithResolvers<string>>();
  const begin = (name: string, limit = signal) => {
    const end = Promise.withResolvers<string>();
    ends.set(name, end);
    return few.run(() => {
      begun.push(name);
      return end.promise;
    }, limit);
  };
  return { begin, end: (name: string) => ends.get(name) as PromiseWithResolvers<string> };
}

test("no more than so many run, and the others follow in the order in which they came", async () => {
  const begun: string[] = [];
  const { begin, end } = works(new FewAtOnce(2), begun);
  const all = ["a", "b", "c", "d"].map((name) => begin(name));
  await settle();
  expect(begun).toEqual(["a", "b"]);
  end("b").resolve("done");
  expect(await all[1]).toBe("done");
  await settle();
  expect(begun).toEqual(["a", "b", "c"]);
  for (const name of ["a", "c", "d"]) end(name).resolve(name);
  expect(await Promise.all(all)).toEqual(["a", "done", "c", "d"]);
});

test("work that fails makes room as well", async () => {
  const begun: string[] = [];
  const { begin, end } = works(new FewAtOnce(1), begun);
  const first = begin("a");
  const second = begin("b");
  end("a").reject(new Error("refused"));
  await expect(first).rejects.toThrow("refused");
  end("b").resolve("b");
  expect(await second).toBe("b");
});

test("who is told to stop leaves the line at once, and nobody waits for them", async () => {
  const begun: string[] = [];
  const { begin, end } = works(new FewAtOnce(1), begun);
  const stop = new AbortController();
  const all = [begin("a"), begin("b", stop.signal), begin("c")];
  stop.abort(new Error("too late"));
  await expect(all[1]).rejects.toThrow("too late");
  end("a").resolve("a");
  end("c").resolve("c");
  expect(await all[2]).toBe("c");
  expect(begun).toEqual(["a", "c"]);
});
