import type { Client } from "@berg/kube";
import { FakeClock, refusal } from "@berg/kube/testing";
import { expect, test } from "vitest";
import { checkServer } from "./check.ts";

const clock = new FakeClock();
const never = new AbortController().signal;

function server({ version = '{"gitVersion": "v1.36.1"}', readyz = () => "ok", allowed = true } = {}): Client {
  return {
    raw: async (path: string) => (path === "/version" ? version : readyz()),
    create: async () => ({ status: { allowed } }),
  } as unknown as Client;
}

test("tells the version, and nothing else that a server puts there", async () => {
  expect(await checkServer(server(), clock, never)).toBe("v1.36.1");
  expect(await checkServer(server({ version: '{"gitVersion":"v1.30.1-eks-4711+x"}' }), clock, never)).toBe(
    "v1.30.1-eks-4711+x",
  );
  for (const version of ["", "<html>", '{"gitVersion":"v1<script>"}', `{"gitVersion":"v${"1".repeat(100)}"}`, "[]"]) {
    expect(await checkServer(server({ version }), clock, never)).toBe("unknown");
  }
});

test("is refused by one that is not well, or on which we may not do everything", async () => {
  const unwell = (code: number) => {
    const readyz = () => {
      throw refusal(code);
    };
    return checkServer(server({ readyz }), clock, never);
  };
  await expect(unwell(500)).rejects.toMatchObject({ reason: "TargetFailing", again: true });
  await expect(unwell(404)).rejects.toMatchObject({ reason: "TargetFailing", again: true });
  await expect(unwell(403)).rejects.toMatchObject({ reason: "TargetForbidden" });
  await expect(checkServer(server({ allowed: false }), clock, never)).rejects.toMatchObject({
    reason: "NotAdministrator",
  });
});

test("does not wait for one that does not answer, and leaves no timer behind", async () => {
  const raw = (_: string, { signal }: { signal: AbortSignal }) =>
    new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const silent = checkServer({ raw } as unknown as Client, clock, never);
  const refused = expect(silent).rejects.toMatchObject({ reason: "TargetUnreachable", again: true });
  await clock.advance(15_000);
  await refused;
  const stop = new AbortController();
  const stopped = checkServer({ raw } as unknown as Client, clock, stop.signal);
  stop.abort(new Error("the end"));
  await expect(stopped).rejects.toThrow("the end");
  expect(clock.timers).toBe(0);
});
