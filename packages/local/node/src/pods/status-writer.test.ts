import type { Stored } from "@berg/apimachinery";
import type { Client, Pod } from "@berg/kube";
import { refusal } from "@berg/kube/testing";
import { expect, test, vi } from "vitest";
import { makePod } from "../containers/testing/pods.ts";
import { StatusWriter } from "./status-writer.ts";

const signal = new AbortController().signal;
const ready = (status: string, reason?: string) => ({
  conditions: [{ type: "Ready", status, ...(reason && { reason }) }],
});

function setUp(status: Pod["status"] = { phase: "Running", ...ready("False", "ContainersNotReady") }) {
  const answer = { ...makePod({}, {}, { resourceVersion: "7" }), status: { phase: "Running" } } as Stored<Pod>;
  const patch = vi.fn(async (..._: unknown[]) => answer);
  const writer = new StatusWriter({ patch } as unknown as Client, { ...makePod(), status } as Stored<Pod>);
  return { patch, writer, answer };
}

test("what did not change costs nothing", async () => {
  const { writer, patch } = setUp();
  await writer.write({ phase: "Running", ...ready("False", "ContainersNotReady") }, signal);
  expect(patch).not.toHaveBeenCalled();
});

test("what changed is written alone, with the pod's UID; a reason that no longer holds is taken away", async () => {
  const { writer, patch } = setUp();
  await writer.write({ phase: "Running", ...ready("True") }, signal);
  const [, namespace, name, { type, body }, options] = patch.mock.calls[0] as [
    unknown,
    string,
    string,
    { type: string; body: object },
    object,
  ];
  expect([namespace, name, type]).toEqual(["ctf", "web", "strategic"]);
  expect(body).toMatchObject({
    metadata: { uid: "u-1" },
    status: { conditions: [{ type: "Ready", status: "True", reason: null }] },
  });
  expect(body).not.toHaveProperty("status.phase");
  expect(options).toMatchObject({ subresource: "status" });
});

test("the answer is the newest that is known, until a newer one is seen", async () => {
  const { writer, answer } = setUp();
  await writer.write({ phase: "Failed" }, signal);
  writer.saw(makePod({}, {}, { resourceVersion: "6" }));
  expect(writer.pod).toBe(answer);
  const newer = makePod({}, {}, { resourceVersion: "10" });
  writer.saw(newer);
  expect(writer.pod).toBe(newer);
});

test.each([404, 409])(
  "a pod that is gone, or another by now (%s), is left to the informer; all else is told",
  async (code) => {
    const { writer, patch } = setUp();
    patch.mockRejectedValueOnce(refusal(code, { reason: code === 404 ? "NotFound" : "Conflict" }));
    await writer.write({ phase: "Failed" }, signal);
    patch.mockRejectedValueOnce(refusal(500, { reason: "InternalError" }));
    await expect(writer.write({ phase: "Failed" }, signal)).rejects.toThrow();
  },
);
