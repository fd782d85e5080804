import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { publicUrl, startTestServer, type TestServer } from "../testing/test-server.ts";

/** A request that writes. */
async function write({ app, signIn }: TestServer, headers?: Record<string, string>) {
  const given = headers ?? (await signIn()).headers;
  return app.inject({
    method: "DELETE",
    url: "/api/players/current/api-key",
    headers: { ...given, origin: publicUrl },
  });
}

test("a database file that another process has locked is answered with 503, and works again afterwards", async () => {
  await using server = await startTestServer();
  const { headers } = await server.signIn();
  const other = new DatabaseSync(join(server.directory, "api.db"));
  other.exec("begin immediate");
  const refused = await write(server, headers);
  expect([refused.statusCode, refused.json().code]).toEqual([503, "database_unavailable"]);
  expect(refused.headers["retry-after"]).toBe("2");
  other.exec("rollback");
  other.close();
  expect((await write(server, headers)).statusCode).toBe(200);
});

test("a full disk is answered with 503, and reading goes on", async () => {
  await using server = await startTestServer();
  const { headers } = await server.signIn();
  server.addChallenge("web", { containers: [{ hostname: "web", image: "web:1" }] as never });
  // Less than the file has: from now on it cannot grow.
  await sql`pragma max_page_count = 1`.execute(server.db);
  const start = () =>
    server.app.inject({
      ...{ method: "POST", url: "/api/instances/current", headers },
      payload: { challenge: "web", replace: true },
    });
  let answer = await start();
  // Until the last page of the table is full.
  for (let count = 1; count < 30 && answer.statusCode === 200; count++) answer = await start();
  expect([answer.statusCode, answer.json().code]).toEqual([503, "database_unavailable"]);
  expect(answer.headers["retry-after"]).toBe("2");
  expect((await server.app.inject({ url: "/api/players", headers })).statusCode).toBe(200);
});
