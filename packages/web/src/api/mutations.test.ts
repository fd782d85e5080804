import { QueryClient } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { makeInstance } from "../testing/wire-objects.ts";
import { applyMessage } from "./live.ts";
import { instanceUpdates, writeInstance } from "./mutations.ts";
import { keys } from "./queries.ts";

const starting = makeInstance({ status: 1, phase: "Requested" });
const running = makeInstance({ status: 2, phase: "Running" });

function queriesWith(instance: object): QueryClient {
  const queries = new QueryClient();
  queries.setQueryData(keys.instance, instance);
  return queries;
}

test("the answer to an action is shown at once", async () => {
  const queries = queriesWith(makeInstance({ name: "" }));
  await writeInstance(queries, starting, instanceUpdates(queries));
  expect(queries.getQueryData(keys.instance)).toEqual(starting);
});

test("an answer does not replace a live message that overtook it", async () => {
  const queries = queriesWith(makeInstance({ name: "" }));
  const before = instanceUpdates(queries);
  await applyMessage(queries, { type: "instance", message: running });
  await writeInstance(queries, starting, before);
  expect(queries.getQueryData(keys.instance)).toEqual(running);
  expect(queries.getQueryState(keys.instance)?.isInvalidated).toBe(true);
});

test("an answer that is overtaken while older reads are cancelled is not written either", async () => {
  const queries = queriesWith(makeInstance({ name: "" }));
  const written = writeInstance(queries, starting, instanceUpdates(queries));
  queries.setQueryData(keys.instance, running);
  await written;
  expect(queries.getQueryData(keys.instance)).toEqual(running);
});
