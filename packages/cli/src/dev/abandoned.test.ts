import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Client } from "@berg/kube";
import { expect, test } from "vitest";
import { processLabel, removeAbandoned } from "./abandoned.ts";

test("instances of processes that are gone are removed, and those of others are not", async () => {
  const ended = spawn(process.execPath, ["--version"], { stdio: "ignore" });
  await once(ended, "exit");
  const items = Object.entries({ mine: process.pid, dead: ended.pid, zero: 0, group: -1, word: "x", init: 1 }).map(
    ([name, pid]) => ({ metadata: { name, namespace: "berg", labels: { [processLabel]: String(pid) } } }),
  );
  const asked: unknown[] = [];
  const removed: string[] = [];
  const client = {
    listAll: async (_: unknown, { labelSelector }: { labelSelector: string }) => {
      asked.push(labelSelector);
      return { items };
    },
    delete: async (_: unknown, namespace: string, name: string) => void removed.push(`${namespace}/${name}`),
  } as unknown as Client;
  await removeAbandoned(client, new AbortController().signal);
  expect(asked).toEqual([processLabel]);
  expect(removed).toEqual(["berg/dead", "berg/zero", "berg/group", "berg/word"]);
});
