import { systemClock } from "@berg/kube";
import type { Container, Engine } from "@berg/local-engine";
import { expect, test } from "vitest";
import { EngineView } from "./engine-view.ts";

/** The engine answers a question about a container when it is told to. */
function slowEngine() {
  const asked: PromiseWithResolvers<Container | undefined>[] = [];
  const inspectContainer = () => {
    const answer = Promise.withResolvers<Container | undefined>();
    asked.push(answer);
    return answer.promise;
  };
  const view = new EngineView({
    engine: { inspectContainer } as Partial<Engine> as Engine,
    node: "n",
    clock: systemClock,
    log: undefined as never,
    messageOf: async () => undefined,
    onChange: () => {},
    onReach: () => {},
  });
  return { view, asked };
}

test("a container is asked about once at a time, and once more for all who came meanwhile", async () => {
  const { view, asked } = slowEngine();
  const first = view.refresh("a");
  const later = [view.refresh("a"), view.refresh("a"), view.refresh("a")];
  expect(asked).toHaveLength(1);
  asked[0]?.resolve(undefined);
  await first;
  await expect.poll(() => asked.length).toBe(2);
  // Who comes now may know of something that this question came too early for.
  const last = view.refresh("a");
  asked[1]?.resolve(undefined);
  await Promise.all(later);
  await expect.poll(() => asked.length).toBe(3);
  asked[2]?.resolve(undefined);
  await last;
});

test("a question that fails does not take the next one with it", async () => {
  const { view, asked } = slowEngine();
  const first = view.refresh("a");
  const second = view.refresh("a");
  asked[0]?.reject(new Error("gone"));
  await expect(first).rejects.toThrow("gone");
  await expect.poll(() => asked.length).toBe(2);
  asked[1]?.resolve(undefined);
  await second;
  void view.refresh("a");
  expect(asked).toHaveLength(3);
});

test("containers do not wait for each other", () => {
  const { view, asked } = slowEngine();
  void view.refresh("a");
  void view.refresh("b");
  expect(asked).toHaveLength(2);
});
