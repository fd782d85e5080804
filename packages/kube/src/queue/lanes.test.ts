import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Lanes, type Linked } from "./lanes.ts";

interface Item extends Linked<Item> {
  name: string;
}

function item(name: string, priority = 0): Item {
  return { name, priority, order: 0, previous: undefined, next: undefined };
}

function drain(lanes: Lanes<Item>): string[] {
  const names: string[] = [];
  for (let next = lanes.shift(); next; next = lanes.shift()) names.push(next.name);
  return names;
}

const strict = Number.POSITIVE_INFINITY;

describe("Lanes", () => {
  const table: { name: string; items: [string, number][]; maxBypass: number; want: string }[] = [
    {
      name: "higher first, in order of arrival",
      items: [
        ["a", 0],
        ["b", 9],
        ["c", -5],
        ["d", 9],
        ["e", 0],
      ],
      maxBypass: strict,
      want: "b d a e c",
    },
    {
      name: "no bypass at all: plain order of arrival",
      items: [
        ["a", 0],
        ["b", 9],
        ["c", 5],
      ],
      maxBypass: 0,
      want: "a b c",
    },
    {
      name: "the one that stood longest goes after two bypasses",
      items: [
        ["low", 0],
        ["low2", 0],
        ["a", 9],
        ["b", 9],
        ["c", 9],
        ["d", 9],
      ],
      maxBypass: 2,
      want: "a b low c d low2",
    },
    {
      name: "the oldest low one goes before the older lane is empty",
      items: [
        ["a", 1],
        ["b", 0],
        ["c", 2],
        ["d", 2],
        ["e", 2],
        ["f", 2],
      ],
      maxBypass: 1,
      want: "c a d b e f",
    },
    {
      name: "infinite priorities are the ends",
      items: [
        ["last", Number.NEGATIVE_INFINITY],
        ["mid", 0],
        ["first", Number.POSITIVE_INFINITY],
      ],
      maxBypass: strict,
      want: "first mid last",
    },
  ];
  test.each(table)("$name", ({ items, maxBypass, want }) => {
    const lanes = new Lanes<Item>(maxBypass);
    for (const [name, priority] of items) lanes.push(item(name, priority));
    expect(drain(lanes).join(" ")).toBe(want);
  });

  test("a raised item goes to the end of the higher lane; a lower priority changes nothing", () => {
    const lanes = new Lanes<Item>(strict);
    const [a, b, c, d] = [item("a", 5), item("b", 0), item("c", 0), item("d", 0)];
    for (const each of [a, b, c, d]) lanes.push(each);
    lanes.raise(c, 5);
    lanes.raise(a, 0);
    lanes.raise(a, 5);
    expect(drain(lanes)).toEqual(["a", "c", "b", "d"]);
  });

  test("of some priorities alone, none starves, and nobody who is left out is passed over", () => {
    const lanes = new Lanes<Item>(1);
    const push = (...items: [name: string, priority: number][]) => {
      for (const [name, priority] of items) lanes.push(item(name, priority));
    };
    const next = () => lanes.shift((priority) => priority !== 0)?.name;
    push(["left out", 0], ["a", 9], ["b", 9]);
    expect([next(), next(), next()]).toEqual(["a", "b", undefined]);
    push(["low", -5], ["c", 9], ["d", 9], ["e", 9]);
    expect([next(), next(), next()]).toEqual(["c", "low", "d"]);
    expect(drain(lanes)).toEqual(["e", "left out"]);
  });

  test("every item keeps its bound, whatever arrives or is raised meanwhile", () => {
    const priority = fc.integer({ min: -1, max: 2 });
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.record({ push: priority }) },
      { weight: 1, arbitrary: fc.record({ raise: fc.nat(20), to: priority }) },
      { weight: 2, arbitrary: fc.constant("shift" as const) },
    );
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 200, size: "max" }),
        fc.integer({ min: 0, max: 4 }),
        (steps, maxBypass) => {
          const lanes = new Lanes<Item>(maxBypass);
          // By age, as it counts for the turn: a raise is a new arrival.
          let waiting: { item: Item; turnsLeft: number }[] = [];
          const arrive = (arrived: Item) =>
            waiting.push({ item: arrived, turnsLeft: (waiting.length + 1) * (maxBypass + 1) });
          const shift = () => {
            const next = lanes.shift();
            expect(next === undefined).toBe(waiting.length === 0);
            if (!next) return;
            expect(waiting.some((each) => each.item === next)).toBe(true);
            for (const each of waiting) expect(each.turnsLeft--).toBeGreaterThan(0);
            const best = Math.max(...waiting.map((each) => each.item.priority));
            const isOldest = next === waiting[0]?.item;
            const isBest = next === waiting.find((each) => each.item.priority === best)?.item;
            expect(isOldest || isBest).toBe(true);
            waiting = waiting.filter((each) => each.item !== next);
          };
          for (const [index, step] of steps.entries()) {
            if (step === "shift") {
              shift();
            } else if ("push" in step) {
              const arrived = item(`${index}`, step.push);
              lanes.push(arrived);
              arrive(arrived);
            } else {
              const raised = waiting[step.raise % Math.max(1, waiting.length)]?.item;
              if (!raised) continue;
              const isRaise = step.to > raised.priority;
              lanes.raise(raised, step.to);
              if (!isRaise) continue;
              waiting = waiting.filter((each) => each.item !== raised);
              arrive(raised);
            }
          }
          while (waiting.length > 0) shift();
          expect(lanes.shift()).toBeUndefined();
        },
      ),
      { numRuns: 150 },
    );
  });
});
