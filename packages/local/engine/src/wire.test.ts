import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeClock } from "@berg/kube/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { connectEngine } from "./connect.ts";
import { EngineError } from "./engine.ts";

// A stand-in for an engine that answers what no real one can be made to answer.
let directory: string;
let server: Server;
let isGone = false;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
const asked: string[] = [];
const clock = new FakeClock();
const engine = () => connectEngine(join(directory, "engine.sock"), { clock });

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "berg-wire-"));
  asked.length = 0;
  isGone = false;
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    if (request.url === "/_ping" && !isGone) response.end("OK");
    else if (request.url === "/version") response.end('{"ApiVersion":"1.41"}');
    else answer(request, response);
  });
  server.listen(join(directory, "engine.sock"));
  await once(server, "listening");
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(directory, { recursive: true });
});

const refusing = (status: number, body: string) => {
  answer = (_, response) => response.writeHead(status).end(body);
};

test.each([
  "removal of container web is already in progress",
  "cannot remove container web as it could not be stopped: sending SIGKILL to container web: container state improper: stopped",
])("a removal that is refused because it is under way is asked for again: %s", async (message) => {
  let refusals = 3;
  answer = (_, response) => {
    if (refusals-- > 0) response.writeHead(500).end(JSON.stringify({ message }));
    else response.writeHead(204).end();
  };
  const removed = connectEngine(join(directory, "engine.sock")).removeContainer("web");
  await expect(removed).resolves.toBeUndefined();
  expect(asked.filter((one) => one.startsWith("DELETE"))).toHaveLength(4);
});

test("a refusal is said in the engine's words, with what was asked for", async () => {
  refusing(500, '{"message":"no space left on device\\n"}');
  const refusal = await engine()
    .startContainer("web")
    .catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(EngineError);
  expect(refusal).toMatchObject({ status: 500, message: "cannot start container web: no space left on device" });
});

test.each([
  [502, "<html>Bad Gateway</html>", "cannot start container web: <html>Bad Gateway</html>"],
  [500, "", "cannot start container web: the engine answered 500"],
  [400, '{"cause":"x"}', "cannot start container web: the engine answered 400"],
])("a refusal without words, %i %s", async (status, body, message) => {
  refusing(status, body);
  await expect(engine().startContainer("web")).rejects.toMatchObject({ status, message });
});

test("an answer that is no JSON is an error, not a crash", async () => {
  answer = (_, response) => response.end("hello");
  await expect(engine().listContainers({})).rejects.toThrow("cannot list containers: the engine's answer is not JSON");
});

test("a call that is not answered ends at its deadline", async () => {
  const { promise: reached, resolve } = Promise.withResolvers<void>();
  answer = () => resolve();
  let ended = false;
  const call = engine().listContainers({});
  call.catch(() => {
    ended = true;
  });
  await reached;
  await clock.advance(29_999);
  await new Promise((soon) => setTimeout(soon, 50));
  expect(ended).toBe(false);
  await clock.advance(1);
  await expect(call).rejects.toMatchObject({
    status: 0,
    message: expect.stringMatching(/did not answer within 30 s$/),
  });
  expect(clock.timers).toBe(0);
});

test("a pull that says nothing any more ends, and its progress is told before", async () => {
  answer = (_, response) => response.write('{"status":"Downloading","id":"a1","progress":"[=> ]"}\n{"status":""}\n');
  const progress: string[] = [];
  const { promise: told, resolve } = Promise.withResolvers<void>();
  const onProgress = (text: string) => {
    progress.push(text);
    resolve();
  };
  const pull = engine().pullImage("docker.io/library/nginx:1", { onProgress });
  pull.catch(() => {});
  await told;
  await new Promise((soon) => setTimeout(soon, 20));
  await clock.advance(300_000);
  await expect(pull).rejects.toThrow("cannot pull image docker.io/library/nginx:1: the engine stopped answering");
  expect(progress).toEqual(["a1: Downloading [=> ]"]);
});

test("a pull that goes wrong after the engine has agreed says so; a sign-in stands in the header alone", async () => {
  let header: string | string[] | undefined;
  answer = (request, response) => {
    header = request.headers["x-registry-auth"];
    response.end('{"status":"Pulling"}\n{"errorDetail":{"message":"denied"},"error":"denied"}\n');
  };
  const auth = { username: "bob", password: "hunter2>>>???>>>", serveraddress: "r.test" };
  const refusal = await engine()
    .pullImage("r.test/web:2", { auth })
    .catch((error: unknown) => error);
  expect(refusal).toMatchObject({ message: "cannot pull image r.test/web:2: denied" });
  expect(String(header)).toMatch(/^[\w-]+==$/);
  expect(JSON.parse(Buffer.from(String(header), "base64url").toString())).toEqual(auth);
  expect(asked.join()).toContain("fromImage=r.test%2Fweb&tag=2");
  expect(asked.join()).not.toContain("hunter2");
});

test.each([
  ["localhost:5000/web", "fromImage=localhost%3A5000%2Fweb&tag=latest"],
  [`web@sha256:${"0".repeat(64)}`, `fromImage=web%40sha256%3A${"0".repeat(64)}`],
])("%s is asked for with one tag, or its digest", async (name, query) => {
  answer = (_, response) => response.end();
  await engine().pullImage(name, {});
  expect(asked.at(-1)).toBe(`POST /v1.41/images/create?${query}`);
});

test("a connection that breaks in the middle of an answer is an error", async () => {
  answer = (_, response) => {
    response.writeHead(200, { "Content-Length": "100" }).write("[");
    setTimeout(() => response.destroy(), 10);
  };
  await expect(engine().listContainers({})).rejects.toMatchObject({
    status: 0,
    message: expect.stringMatching(/^cannot list containers: the connection to the container engine at .* broke/),
  });
});

test("an aborted call ends with the signal's reason, before and after it was sent", async () => {
  answer = () => {};
  const stop = new AbortController();
  const call = engine().listContainers({}, stop.signal);
  setTimeout(() => stop.abort(new Error("enough")), 20);
  await expect(call).rejects.toThrow("enough");
  await expect(engine().listContainers({}, stop.signal)).rejects.toThrow("enough");
});

test("an engine that refuses an archive before it has read it is heard", async () => {
  answer = (_, response) => response.writeHead(507, { Connection: "close" }).end('{"message":"no space"}');
  await expect(engine().loadImage(Buffer.alloc(20_000_000))).rejects.toThrow("cannot load an image: no space");
});

test("an archive that cannot be read fails the load with its own error", async () => {
  answer = (request) => request.resume();
  async function* broken() {
    yield Buffer.alloc(10);
    throw new Error("disk gone");
  }
  await expect(engine().loadImage(broken())).rejects.toMatchObject({ cause: { message: "disk gone" } });
});

test("where nobody listens, that is said with the place, and the engine's version is asked for again", async () => {
  const there = engine();
  answer = (_, response) => response.end("[]");
  await there.listContainers({});
  await there.listContainers({});
  expect(asked.filter((line) => line === "GET /version")).toHaveLength(1);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await expect(there.listContainers({})).rejects.toThrow(
    `cannot list containers: no container engine answers at ${join(directory, "engine.sock")} (ENOENT)`,
  );
  server.listen(join(directory, "engine.sock"));
  await once(server, "listening");
  await there.listContainers({});
  expect(asked.filter((line) => line === "GET /version")).toHaveLength(2);
});

test("what the engine is stays as it said until it could not be reached; whether it is there is asked each time", async () => {
  const there = engine();
  answer = (_, response) => response.end('{"ServerVersion":"1","NCPU":2}');
  const first = await there.info();
  expect(await there.info()).toBe(first);
  expect(asked).toEqual(["GET /_ping", "GET /version", "GET /v1.41/info", "GET /_ping"]);
  isGone = true;
  answer = (_, response) => response.destroy();
  await expect(there.info()).rejects.toMatchObject({ status: 0, message: expect.stringMatching(/what it is: /) });
  isGone = false;
  answer = (_, response) => response.end('{"NCPU":4}');
  expect((await there.info()).cpus).toBe(4);
});
