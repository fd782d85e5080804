/** The embedded server beside a real one: the same requests, and the same answers but for ids, times and versions. */
import { request } from "node:https";
import { missingControlPlane, startControlPlane } from "@berg/test";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startApiServer } from "../server.ts";
import { type Ask, fooDefinition, script } from "./testing/script.ts";

const answerWithinMs = 60_000;

interface Server {
  url: string;
  token: string;
}

interface Answer {
  code: number;
  warnings: string;
  body: unknown;
}

describe.skipIf(await missingControlPlane())("the verbs, beside those of a real API server", () => {
  const servers: Server[] = [];
  const undo = new AsyncDisposableStack();

  beforeAll(async () => {
    const real = undo.use(await startControlPlane({ controllerManager: false, scheduler: false }));
    const ours = undo.use(await startApiServer({ dataDir: ":memory:" }));
    servers.push({ url: real.server, token: real.token }, { url: ours.url, token: ours.token });
    for (const server of servers) {
      await create(server, "/api/v1/namespaces", { metadata: { name: "script" } });
      await create(server, "serviceaccounts", { metadata: { name: "default" } });
      await create(server, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", fooDefinition);
      await isServed(server);
    }
  });
  afterAll(() => undo.disposeAsync());

  test.each(
    script.map((step, index) => [index, step.method, step.path, JSON.stringify(step.body) ?? "", step] as const),
  )("%i: %s %s %s", async (_index, _method, _path, _body, step) => {
    const [real, ours] = await Promise.all(servers.map((server) => ask(server, step)));
    expect(masked(ours)).toEqual(masked(real));
  });
});

/** A server that has just started may refuse for a moment what it is to take. */
function create(server: Server, path: string, body: unknown): Promise<void> {
  return untilTaken(server, path, { method: "POST", path, body });
}

/** A custom kind takes a moment to be served. */
function isServed(server: Server): Promise<void> {
  return untilTaken(server, "an object of the custom kind", {
    method: "POST",
    path: "/apis/x.io/v1/namespaces/script/foos?fieldManager=probe&dryRun=All",
    body: { apiVersion: "x.io/v1", kind: "Foo", metadata: { name: "probe" } },
  });
}

async function untilTaken(server: Server, what: string, request: Ask): Promise<void> {
  let answer: Answer | undefined;
  for (let attempt = 0; attempt < 600; attempt++) {
    answer = await ask(server, request);
    if (answer.code === 201) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`cannot create ${what} on ${server.url}: ${JSON.stringify(answer)}`);
}

function ask(server: Server, { method, path, body, type = "application/json" }: Ask): Promise<Answer> {
  const url = new URL(path.startsWith("/") ? path : `/api/v1/namespaces/script/${path}`, server.url);
  const headers = {
    authorization: `Bearer ${server.token}`,
    "content-type": type,
    "user-agent": "asker",
    accept: "application/json",
  };
  return new Promise((resolve, reject) => {
    const options = { method, headers, rejectUnauthorized: false, agent: false, timeout: answerWithinMs };
    const asked = request(url, options, (response) => {
      let text = "";
      response.on("error", reject);
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () =>
        resolve({
          code: response.statusCode ?? 0,
          warnings: String(response.headers.warning ?? ""),
          body: parsed(text),
        }),
      );
    });
    asked.on("error", reject);
    asked.on("close", () => reject(new Error(`the connection of ${method} ${url} ended without an answer`)));
    asked.on("timeout", () => asked.destroy(new Error(`no answer to ${method} ${url} in ${answerWithinMs} ms`)));
    // Node sends no length with a DELETE by itself.
    const text = body === undefined ? "" : JSON.stringify(body);
    asked.setHeader("content-length", Buffer.byteLength(text));
    asked.end(text);
  });
}

/** One value, or the frames of a watch; or a text, as for a group that is not served yet. */
function parsed(text: string): unknown {
  const lines = text.split("\n").filter((line) => line !== "");
  try {
    const values = lines.map((line) => JSON.parse(line) as unknown);
    return values.length === 1 ? values[0] : values;
  } catch {
    return text;
  }
}

function masked(answer: Answer | undefined): unknown {
  const text = JSON.stringify(answer, (key, value) => {
    if (key === "resourceVersion" || key === "continue") return "masked";
    // Each server has objects of its own beside ours.
    if (key === "items" && Array.isArray(value))
      return value.filter(({ metadata }) => metadata?.name !== "kube-root-ca.crt");
    return value;
  });
  return JSON.parse(
    text
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "uid")
      .replace(/20[2-9]\d-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "time")
      .replace(/current: \d+/g, "current")
      .replace(/in record \(\d+\)/g, "in record"),
  );
}
