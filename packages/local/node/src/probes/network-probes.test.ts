import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createServer } from "node:net";
import { systemClock } from "@berg/kube";
import { describe, expect, onTestFinished, test } from "vitest";
import { httpProbe, httpTarget, tcpProbe } from "./network-probes.ts";

const signal = new AbortController().signal;
const limits = (timeoutMs = 2000) => ({ clock: systemClock, timeoutMs, signal });
const container = { name: "c", ports: [{ name: "web", containerPort: 8080 }] };

async function serve(listener: RequestListener): Promise<number> {
  const server = createHttpServer(listener);
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as { port: number }).port;
}

describe("an HTTP probe", () => {
  test("goes where it is told", () => {
    const get = { port: "web", path: "health?x=1", scheme: "HTTPS", httpHeaders: [{ name: "Host", value: "ctf" }] };
    const { url, headers } = httpTarget(get, container, "10.0.0.2");
    expect(url.href).toBe("https://10.0.0.2:8080/health?x=1");
    expect(headers).toMatchObject({ host: "ctf", "user-agent": "kube-probe/1.36" });
    expect(httpTarget({ port: 80, host: "other" }, container, "10.0.0.2").url.href).toBe("http://other/");
  });
  test.each([
    { port: "nope", want: `couldn't find port: "nope" in container "c"` },
    { port: 0, want: "invalid port number: 0" },
  ])("is refused a port that is none: $port", ({ port, want }) => {
    expect(() => httpTarget({ port }, container, "10.0.0.2")).toThrow(want);
  });

  const answers = [
    { status: 200, want: { result: "success" } },
    { status: 399, want: { result: "success" } },
    { status: 404, want: { result: "failure", output: "HTTP probe failed with statuscode: 404" } },
    { status: 500, want: { result: "failure", output: "HTTP probe failed with statuscode: 500" } },
  ];
  test.each(answers)("takes $status as $want.result", async ({ status, want }) => {
    const port = await serve((_, response) => response.writeHead(status).end("body"));
    expect(await httpProbe(httpTarget({ port }, container, "127.0.0.1"), limits())).toEqual(want);
  });

  test("follows a redirect on the same host, and tells of one that leads away", async () => {
    const port = await serve((request, response) => {
      if (request.url === "/here") response.writeHead(302, { location: "/well" }).end();
      else if (request.url === "/away") response.writeHead(302, { location: "http://192.0.2.1/" }).end();
      else if (request.url === "/round") response.writeHead(302, { location: "/round" }).end();
      else response.writeHead(204).end();
    });
    const ask = (path: string) => httpProbe(httpTarget({ port, path }, container, "127.0.0.1"), limits());
    expect(await ask("/here")).toEqual({ result: "success" });
    expect(await ask("/away")).toMatchObject({ result: "warning" });
    expect(await ask("/round")).toMatchObject({ result: "failure", output: expect.stringContaining("10 redirects") });
  });

  test("fails in Go's words where nobody answers, or too late", async () => {
    const refused = await httpProbe(httpTarget({ port: 1 }, container, "127.0.0.1"), limits());
    const why = 'Get "http://127.0.0.1:1/": dial tcp 127.0.0.1:1: connect: connection refused';
    expect(refused).toEqual({ result: "failure", output: why });
    const port = await serve(() => {});
    const late = await httpProbe(httpTarget({ port }, container, "127.0.0.1"), limits(50));
    expect(late).toMatchObject({ output: expect.stringContaining("context deadline exceeded") });
  });
});

describe("a TCP probe", () => {
  test("is content with a connection", async () => {
    const server = createServer((socket) => socket.destroy());
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    expect(await tcpProbe("127.0.0.1", port, limits())).toEqual({ result: "success" });
  });
  test("fails in Go's words", async () => {
    const want = { result: "failure", output: "dial tcp 127.0.0.1:1: connect: connection refused" };
    expect(await tcpProbe("127.0.0.1", 1, limits())).toEqual(want);
  });
  test("ends with its signal", async () => {
    const stop = new AbortController();
    const probe = () => tcpProbe("127.0.0.1", 1, { clock: systemClock, timeoutMs: 5000, signal: stop.signal });
    const asked = probe();
    stop.abort(new Error("over"));
    await expect(asked).rejects.toThrow("over");
    await expect(probe()).rejects.toThrow("over");
  });
});
