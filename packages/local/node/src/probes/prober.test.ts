import { createServer } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { type Pod, systemClock } from "@berg/kube";
import { expect, onTestFinished, test } from "vitest";
import { Prober } from "./prober.ts";

test("a program that needs a moment until it listens is ready then, and not a period later", async () => {
  const server = createServer((_, answer) => answer.end("well"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  const changed = Promise.withResolvers<void>();
  const unhealthy: string[] = [];
  const prober = new Prober({
    engine: undefined as never,
    clock: systemClock,
    log: undefined as never,
    onChange: () => changed.resolve(),
    onUnhealthy: (_pod, _container, _reason, message) => void unhealthy.push(message),
  });
  onTestFinished(() => prober.stop());
  const container = { name: "c", readinessProbe: { httpGet: { port }, periodSeconds: 3600 } };
  const pod = { metadata: { name: "p" } } as Pod;
  prober.watch({ pod, container, id: "1", podIP: "127.0.0.1", startedAt: Date.now() });
  await delay(100);
  expect(prober.verdicts("1")).toEqual({ readiness: "failure" });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  await changed.promise;
  expect(prober.verdicts("1")).toEqual({ readiness: "success" });
  expect(unhealthy).toEqual([]);
});
