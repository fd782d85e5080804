import { createMetrics } from "@berg/kube";
import { expect, test } from "vitest";
import { createApiMetrics } from "../metrics.ts";
import { publicUrl, startTestServer } from "../testing/test-server.ts";

const secret = "flag{never_in_a_log}";

test("a request is logged with its route, status and player, and without what it carried", async () => {
  await using server = await startTestServer();
  const { id, headers } = await server.signIn();
  const key = await server.apiKey(id);
  const { app, lines } = server;
  await app.inject({ url: `/api/challenges/${encodeURIComponent(secret)}?access_token=${secret}`, headers });
  await app.inject({ url: `/api/nothing/${secret}?flag=${secret}`, headers: { authorization: `Bearer ${key}` } });
  await app.inject({ url: "/api/metadata", headers: { authorization: `Bearer ${secret}`, cookie: `berg=${secret}` } });
  await app.inject({ method: "POST", url: "/api/sign-in", headers: { origin: publicUrl }, payload: { token: secret } });
  await app.inject({ method: "POST", url: "/api/sign-out", headers });
  const entries = lines.map((line) => JSON.parse(line));
  expect(entries).toMatchObject([
    { level: "debug", method: "GET", route: "/api/challenges/:name", status: 404, code: "not_found", player: id },
    { level: "debug", method: "GET", route: "none", status: 404 },
    { level: "debug", method: "GET", route: "/api/metadata", status: 200 },
    { level: "debug", method: "POST", route: "/api/sign-in", status: 403, code: "sign_in_link_invalid" },
    { level: "info", method: "POST", route: "/api/sign-out", status: 204, player: id },
  ]);
  for (const { ms } of entries) expect(ms).toEqual(expect.any(Number));
  const text = lines.join("\n");
  for (const hidden of [secret, encodeURIComponent(secret), key, headers.cookie ?? ""]) {
    expect(text).not.toContain(hidden);
  }
});

test("metrics count by the template of the route, and starts by their outcome", async () => {
  const metrics = await createMetrics();
  await using server = await startTestServer({ metrics: createApiMetrics(metrics) });
  const { headers } = await server.signIn();
  for (const name of ["a", "b"]) await server.app.inject({ url: `/api/challenges/${name}` });
  await server.app.inject({ url: "/some/page" });
  const payload = { challenge: "missing" };
  await server.app.inject({ method: "POST", url: "/api/instances/current", headers, payload });
  const { body } = await metrics.render();
  expect(body).toContain('berg_api_requests_total{method="GET",route="/api/challenges/:name",status="404"} 2');
  expect(body).toContain('berg_api_requests_total{method="GET",route="none",status="302"} 1');
  expect(body).toContain('berg_api_request_duration_seconds_count{method="GET",route="/api/challenges/:name"} 2');
  expect(body).toContain('berg_api_instance_starts_total{outcome="accepted"} 0');
  expect(body).toContain('berg_api_instance_starts_total{outcome="challenge_unknown"} 1');
});
