import { expect, test } from "vitest";
import { compareSchemas } from "./compare.ts";
import { blob, fields, flag, listOf, text, textMap, time, whole, wholeOrText } from "./schema.ts";

const reference = (name: string) => ({ allOf: [{ $ref: `#/components/schemas/${name}` }] });
const published = {
  Pool: { type: "object", required: ["name"], properties: { name: { type: "string" }, size: { type: "integer" } } },
  Raw: { type: "object" },
  Either: { oneOf: [{ type: "integer" }, { type: "string" }] },
};
const theirs = {
  type: "object",
  properties: {
    kind: { type: "string" },
    pools: { type: "array", items: reference("Pool") },
    config: reference("Raw"),
    surge: reference("Either"),
    since: { type: "string", format: "date-time" },
    labels: { type: "object", additionalProperties: { type: "string" } },
  },
};

test("the same is no difference, and a blob stands for whatever is there", () => {
  const pools = listOf(fields({ "name!": text, size: whole }));
  const ours = fields({ pools, config: blob, surge: wholeOrText, since: time, labels: textMap });
  expect(compareSchemas(ours, theirs, published)).toEqual({ wrong: [], lacking: [] });
});

test("what is wrong and what lacks is told with its path", () => {
  const ours = fields({
    pools: listOf(fields({ name: text, "size!": text, more: flag })),
    since: text,
    labels: textMap,
  });
  expect(compareSchemas(ours, theirs, published)).toEqual({
    wrong: [
      "pools[].name may lack, Gardener's may not",
      "pools[].size is string, Gardener's is integer",
      "pools[].more is not Gardener's",
      "since is string, Gardener's is time",
    ],
    lacking: ["config", "surge"],
  });
});
