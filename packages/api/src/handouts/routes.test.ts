import { execFileSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../testing/test-server.ts";
import { readHandoutSettings } from "./settings.ts";

const content = Buffer.from("the handout\n");
let server: TestServer;
let root: string;

beforeAll(async () => {
  const directories: string[] = [];
  server = await startTestServer({ handouts: readHandoutSettings({}, { directories }) });
  root = join(server.directory, "files");
  await mkdir(join(root, "web/sub"), { recursive: true });
  await writeFile(join(root, "web/handout.zip"), content);
  await writeFile(join(root, "web/empty"), "");
  await writeFile(join(server.directory, "outside"), "secret");
  await symlink(join(server.directory, "outside"), join(root, "web/link"));
  await symlink(server.directory, join(root, "web/directory-link"));
  execFileSync("mkfifo", [join(root, "web/pipe")]);
  directories.push(join(server.directory, "no-such-directory"), root);
});
afterAll(() => server[Symbol.asyncDispose]());

function get(downloadUrl: string, index: string | number = 0) {
  server.addChallenge("web", { attachments: [{ fileName: "Größe.zip", downloadUrl }] });
  return server.app.inject({ url: `/api/challenges/web/handout/${index}` });
}

test("a file of a handout directory is sent as a download, and recorded", async () => {
  const { statusCode, rawPayload, headers } = await get("web/handout.zip");
  expect([statusCode, rawPayload]).toEqual([200, content]);
  expect(headers).toMatchObject({
    "content-type": "application/octet-stream",
    "content-length": String(content.length),
    "x-content-type-options": "nosniff",
    "content-disposition": `attachment; filename="Gro_e.zip"; filename*=UTF-8''Gr%C3%B6%C3%9Fe.zip`,
  });
  const { id, headers: signedIn } = await server.signIn();
  await server.app.inject({ url: "/api/challenges/web/handout/0", headers: signedIn });
  const head = await server.app.inject({ method: "HEAD", url: "/api/challenges/web/handout/0", headers: signedIn });
  expect([head.statusCode, head.headers["content-length"], head.body]).toEqual([200, String(content.length), ""]);
  const rows = await server.db.selectFrom("handout_downloads").selectAll().execute();
  expect(rows).toMatchObject([
    { player_id: null, challenge_name: "web", file_name: "Größe.zip" },
    { player_id: id, challenge_name: "web" },
  ]);
});

test("an empty file is sent too", async () => {
  const { statusCode, headers, body } = await get("/web/empty");
  expect([statusCode, headers["content-length"], body]).toEqual([200, "0", ""]);
});

test.each([
  ["a symbolic link", "web/link"],
  ["a way through a link to a directory", "web/directory-link/outside"],
  ["a way out", "../outside"],
  ["an encoded way out", "web/%2e%2e/%2e%2e/outside"],
  ["an absolute path", "/etc/passwd"],
  ["a directory", "web/sub"],
  ["a named pipe", "web/pipe"],
  ["no file", "web/nothing"],
  ["a file as a directory", "web/handout.zip/x"],
  ["another site", "https://files.example/a.zip"],
  ["a script", "javascript:alert(1)"],
  ["a name that is too long", "x".repeat(2000)],
])("%s is not served", async (_, downloadUrl) => {
  const { statusCode, json } = await get(downloadUrl);
  expect([statusCode, json().code]).toEqual([404, "not_found"]);
});

test.each(["1", "99999999999999999999", "-1", "0x0", "0.0", "%00", "a"])(
  "the index %s is not served",
  async (index) => {
    const { statusCode } = await get("web/handout.zip", index);
    expect([400, 404]).toContain(statusCode);
  },
);

test("a challenge that is hidden, or that does not exist, is not there", async () => {
  const attachments = [{ downloadUrl: "web/handout.zip" }];
  server.addChallenge("hidden", { attachments, hideUntil: "2999-01-01T00:00:00Z" });
  for (const name of ["hidden", "nothing"]) {
    const { statusCode, json } = await server.app.inject({ url: `/api/challenges/${name}/handout/0` });
    expect([statusCode, json().code]).toEqual([404, "not_found"]);
  }
});

test("before the start only admins get it", async () => {
  const handouts = readHandoutSettings({}, { directories: [root] });
  const competition = { start: "2999-01-01T00:00:00Z" };
  await using closed = await startTestServer({ handouts, competition });
  closed.addChallenge("web", { attachments: [{ downloadUrl: "web/handout.zip" }] });
  const ask = async (headers = {}) => {
    const { statusCode, json } = await closed.app.inject({ url: "/api/challenges/web/handout/0", headers });
    return statusCode === 200 ? 200 : json().code;
  };
  expect(await ask()).toBe("not_started");
  expect(await ask((await closed.signIn()).headers)).toBe("not_started");
  expect(await ask((await closed.signIn(["player", "admin"])).headers)).toBe(200);
});

test("the list names where each file is, and leaves out what cannot be served", async () => {
  server.addChallenge("many", {
    attachments: [
      { downloadUrl: "../x" },
      { fileName: "a.zip", downloadUrl: "https://files.example/a.zip" },
      { downloadUrl: "web/handout.zip" },
      { fileName: "b", downloadImage: "not an image" },
      { fileName: "c", downloadImage: "ghcr.io/team/c:1" },
      {},
    ],
  });
  const { json } = await server.app.inject({ url: "/api/challenges/many" });
  expect(json().attachments).toEqual([
    { fileName: "a.zip", downloadUrl: "https://files.example/a.zip" },
    { fileName: "handout.zip", downloadUrl: "/api/challenges/many/handout/2" },
    { fileName: "c", downloadUrl: "/api/challenges/many/handout/4" },
  ]);
});
