import { StatusError } from "@berg/apimachinery";
import { expect, test } from "vitest";
import type { ApiContext } from "../context.ts";
import { changeSpec } from "./objects.ts";

const row = { id: "0190d6a0-0000-7000-8000-000000000001", owner_id: "x", object_name: null } as never;
const object = {
  metadata: {
    name: "owner-x",
    resourceVersion: "1",
    annotations: { "berg.norelect.ch/instance-id": (row as { id: string }).id },
  },
  spec: {},
};
const status = (code: number, reason: string) => new StatusError({ code, reason, message: reason } as never);

/** An API server whose patches fail in this order; reads find the object until it is deleted. */
function contextWith(failures: (Error | undefined)[], isDeletedAfter = Number.POSITIVE_INFINITY): ApiContext {
  let reads = 0;
  const client = {
    get: async () => {
      if (reads++ >= isDeletedAfter) throw status(404, "NotFound");
      return object;
    },
    patch: async () => {
      const failure = failures.shift();
      if (failure) throw failure;
    },
  };
  return { client, settings: { namespace: "berg" } } as unknown as ApiContext;
}

const change = (context: ApiContext) => changeSpec(context, row, () => ({ renewals: 1 }), new AbortController().signal);

test("a conflict is read and written again", async () => {
  await change(contextWith([status(409, "Conflict"), status(409, "Conflict")]));
});

test("an instance that is deleted between read and write has ended", async () => {
  const refused = change(contextWith([status(404, "NotFound")], 1));
  await expect(refused).rejects.toMatchObject({ problem: { code: "nothing_running" } });
});

test("endless conflicts are answered with 503", async () => {
  const refused = change(contextWith(Array.from({ length: 100 }, () => status(409, "Conflict"))));
  await expect(refused).rejects.toMatchObject({ problem: { code: "kubernetes_unavailable", status: 503 } });
});
