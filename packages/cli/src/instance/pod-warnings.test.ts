import type { Clock } from "@berg/kube";
import { expect, test } from "vitest";
import { type PodWarnings, tellOfPodWarnings } from "./pod-warnings.ts";

type Warning = { reason: string; message: string };

/** Each answer is what one look finds; after the last it is told to stop. */
async function told(answers: (Warning[] | Error)[], isWaited = true) {
  const stop = new AbortController();
  const [texts, asked]: [string[], object[]] = [[], []];
  const clock = {
    // As if the time were over at once.
    setTimer: (_: number, fire: () => void) => {
      if (answers.length === 0) queueMicrotask(() => stop.abort());
      else queueMicrotask(fire);
      return { cancel() {} };
    },
  } as unknown as Clock;
  const list = async (_: unknown, { namespace, fieldSelector }: { namespace?: string; fieldSelector?: string }) => {
    asked.push({ namespace, fieldSelector });
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return { items: answer };
  };
  const place = () => {
    if (!isWaited) answers.shift();
    return isWaited ? "challenge-1" : undefined;
  };
  const warnings = { client: { list }, clock, namespace: place, tell: (text: string) => texts.push(text) };
  await tellOfPodWarnings(warnings as unknown as PodWarnings, stop.signal);
  return { texts, asked };
}

const sandbox = (id: string) => ({ reason: "FailedCreatePodSandBox", message: `cannot start container ${id}` });

test("what keeps a pod from being made is told, once, in the cluster's words", async () => {
  const mount = { reason: "FailedMount", message: "no such\u001b[31m secret" };
  const { texts, asked } = await told([[], [sandbox("1")], [sandbox("1"), sandbox("2"), mount]]);
  expect(texts).toEqual([
    "The cluster warns (FailedCreatePodSandBox): cannot start container 1",
    expect.stringMatching(/^The cluster warns \(FailedMount\): no such.*secret$/),
  ]);
  expect(texts.join()).not.toContain("\u001b");
  expect(asked[0]).toEqual({ namespace: "challenge-1", fieldSelector: "type=Warning,involvedObject.kind=Pod" });
});

test("what the instance says itself, or what passes, is not", async () => {
  const reasons = ["Failed", "FailedScheduling", "Unhealthy", "BackOff"];
  expect((await told([reasons.map((reason) => ({ reason, message: "x" }))])).texts).toEqual([]);
});

test("whoever may not read them is told nothing, and a later look may find more", async () => {
  expect((await told([new Error("forbidden"), [sandbox("1")]])).texts).toHaveLength(1);
});

test("nobody is asked while there is nothing to wait for", async () => {
  expect(await told([[sandbox("1")]], false)).toEqual({ texts: [], asked: [] });
});
