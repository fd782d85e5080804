import type { TLSSocket } from "node:tls";
import { describe, expect, test } from "vitest";
import { makeCa } from "../testing/certificates.ts";
import { type Answer, json, refuse, ScriptedServer, silence, text } from "../testing/scripted-server.ts";
import { type Outgoing, Transport } from "./transport.ts";

const get: Outgoing = { method: "GET", path: "/version" };
const post: Outgoing = { method: "POST", path: "/things", body: "{}" };
const outcomeOf = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);

/** A stream that has begun and says nothing. */
const open: Answer = (response) => response.flushHeaders();

function watch(transport: Transport, more: Partial<Outgoing> = {}) {
  const opened = Promise.withResolvers<void>();
  let text = "";
  const ended = transport.stream(
    { ...get, ...more },
    {
      onOpen: () => opened.resolve(),
      onData: (chunk) => {
        text += chunk.toString();
      },
    },
  );
  return { opened: opened.promise, ended: outcomeOf(ended), text: () => text };
}

describe("an answer", () => {
  test("comes whole, whatever its status", async () => {
    await using server = await ScriptedServer.start((response) => {
      response.writeHead(404, { "x-many": ["a", "b"] });
      response.write("not ");
      response.end("here");
    });
    const transport = new Transport(server.connection(), "test");
    const answer = await transport.send(get);
    expect({ status: answer.status, many: answer.headers["x-many"], body: answer.body.toString() }).toEqual({
      status: 404,
      many: ["a", "b"],
      body: "not here",
    });
    await transport.close();
  });

  test("may be announced by an interim one", async () => {
    const answer: Answer = (response) => {
      response.writeEarlyHints({ link: "</x>; rel=preload" }, () => response.writeHead(200).end("real"));
    };
    await using server = await ScriptedServer.start(answer);
    const transport = new Transport(server.connection(), "test");
    expect(await transport.send(get)).toMatchObject({ status: 200, body: Buffer.from("real") });
    let opened = 0;
    await transport.stream(get, { onOpen: () => opened++, onData() {} });
    expect(opened).toBe(1);
    await transport.close();
  });

  test("that is cut short is a broken connection, not a short answer", async () => {
    await using server = await ScriptedServer.start((response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("{}", () => response.socket?.destroy());
    });
    const transport = new Transport(server.connection(), "test");
    expect(await outcomeOf(transport.send(get))).toMatchObject({ name: "ConnectionError", sent: true });
    await transport.close();
  });

  test("that is longer than asked for is cut, and a stream is not", async () => {
    await using server = await ScriptedServer.start((response) => void response.end("x".repeat(2000)));
    const transport = new Transport(server.connection(), "test", () => {}, 1000);
    expect(await outcomeOf(transport.send(get))).toMatchObject({ name: "ConnectionError", sent: true });
    const { ended, text } = watch(transport);
    await ended;
    expect(text()).toHaveLength(2000);
    await transport.close();
  });
});

describe("a broken connection names the request and the fault", () => {
  test("without the query", async () => {
    const gone = await ScriptedServer.start(silence);
    const transport = new Transport(gone.connection(), "test");
    const { url } = gone;
    await gone[Symbol.asyncDispose]();
    const error = await outcomeOf(transport.send({ ...get, path: "/version?token=x" }));
    expect(error).toMatchObject({
      name: "ConnectionError",
      sent: false,
      message: expect.stringMatching(new RegExp(`^GET ${url}/version: .*ECONNREFUSED`)),
    });
    await transport.close();
  });

  test("and a certificate that cannot be read is one", async () => {
    await using server = await ScriptedServer.start(silence);
    const transport = new Transport(
      server.connection({ tls: () => Promise.reject(new Error("cannot read /ca.crt: there is no such file")) }),
      "test",
    );
    expect(await outcomeOf(transport.send(post))).toMatchObject({
      name: "ConnectionError",
      sent: false,
      message: expect.stringContaining("cannot read /ca.crt"),
    });
    await transport.close();
  });
});

describe("calls and watches keep out of each other's way", () => {
  test("a hundred open watches do not delay a call", async () => {
    await using server = await ScriptedServer.start((response, { url }) => {
      if (url === "/watch") response.flushHeaders();
      else response.end("ok");
    });
    const transport = new Transport(server.connection(), "test");
    const watches = Array.from({ length: 100 }, () => watch(transport, { path: "/watch" }));
    await Promise.all(watches.map(({ opened }) => opened));
    expect((await transport.send(get)).body.toString()).toBe("ok");
    await transport.close();
  });

  test("calls that hang do not delay a watch", async () => {
    await using server = await ScriptedServer.start((response, { url }) => {
      if (url === "/watch") response.flushHeaders();
    });
    const transport = new Transport(server.connection(), "test");
    const calls = Array.from({ length: 80 }, () => outcomeOf(transport.send(get)));
    await server.arrived(64);
    await watch(transport, { path: "/watch" }).opened;
    await transport.close();
    await Promise.all(calls);
  });
});

/** Every connection for calls is taken by one that hangs, until `free` answers one of them. */
async function busy() {
  const hanging: (() => void)[] = [];
  const server = await ScriptedServer.start((response, { url }) => {
    if (url === "/hang") hanging.push(() => response.end());
    else response.end();
  });
  const transport = new Transport(server.connection(), "test");
  const abort = new AbortController();
  const hang = { ...get, path: "/hang", signal: abort.signal };
  const calls = Array.from({ length: 64 }, () => outcomeOf(transport.send(hang)));
  await server.arrived(64);
  return {
    transport,
    server,
    free: () => hanging.pop()?.(),
    async [Symbol.asyncDispose]() {
      abort.abort();
      await Promise.all(calls);
      await transport.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe("a request that waits for a connection", () => {
  test("asks its guard when its turn comes, not before", async () => {
    await using waiting = await busy();
    let leading = true;
    const guard = () => {
      if (!leading) throw new Error("not the leader any more");
    };
    const outcome = outcomeOf(waiting.transport.send({ ...post, guard }));
    const after = waiting.transport.send({ ...post, path: "/after" });
    await new Promise((resolve) => setImmediate(resolve));
    leading = false;
    waiting.free();
    expect(await outcome).toMatchObject({ message: "not the leader any more" });
    // The connection that came free serves the next in line.
    await after;
    expect(waiting.server.seen.slice(64).map(({ url }) => url)).toEqual(["/after"]);
    expect(waiting.server.connections).toBe(64);
  });

  test("that is aborted rejects at once and is never sent", async () => {
    await using waiting = await busy();
    const abort = new AbortController();
    const outcome = outcomeOf(waiting.transport.send({ ...post, signal: abort.signal }));
    const after = waiting.transport.send({ ...post, path: "/after" });
    await new Promise((resolve) => setImmediate(resolve));
    abort.abort("no longer wanted");
    expect(await outcome).toBe("no longer wanted");
    waiting.free();
    await after;
    expect(waiting.server.seen.slice(64).map(({ url }) => url)).toEqual(["/after"]);
  });

  test("whose guard aborts it, rather than throw, is not sent either", async () => {
    await using server = await ScriptedServer.start(json({}));
    const transport = new Transport(server.connection(), "test");
    const abort = new AbortController();
    const request = { ...post, signal: abort.signal, guard: () => abort.abort("lost the lease") };
    expect(await outcomeOf(transport.send(request))).toBe("lost the lease");
    await transport.send(get);
    expect(server.seen.map(({ method }) => method)).toEqual(["GET"]);
    await transport.close();
  });
});

describe("refused credentials", () => {
  test("bring new connections, and leave open watches alone", async () => {
    let say = (_: string) => {};
    await using server = await ScriptedServer.start(
      (response) => {
        response.flushHeaders();
        say = (text) => response.end(text);
      },
      refuse(401),
      json({}),
    );
    const transport = new Transport(server.connection(), "test");
    const watching = watch(transport);
    await watching.opened;
    await transport.send(get);
    const before = server.connections;
    await transport.send(get);
    expect(server.connections).toBe(before + 1);
    say("still here");
    expect(await watching.ended).toMatchObject({ status: 200 });
    expect(watching.text()).toBe("still here");
    await transport.close();
  });

  test("of a crowd bring new connections once: a late refusal leaves the new ones alone", async () => {
    let refuseLate = () => {};
    await using server = await ScriptedServer.start(
      (response) => {
        refuseLate = () => response.writeHead(401).end();
      },
      refuse(401),
      json({}),
    );
    const refused: unknown[] = [];
    const transport = new Transport(
      server.connection({ authorization: async () => "Bearer t", refused: (token) => void refused.push(token) }),
      "test",
    );
    const late = transport.send(get);
    await server.arrived(1);
    await transport.send(get);
    await transport.send(get);
    expect(server.connections).toBe(3);
    refuseLate();
    await late;
    await transport.send(get);
    expect(refused).toEqual(["Bearer t", "Bearer t"]);
    expect(server.connections).toBe(3);
    // Those from before have nothing left to do.
    await expect.poll(() => server.sockets.size).toBe(1);
    await transport.close();
  });

  test("while another request fetches its own do not break it", async () => {
    await using server = await ScriptedServer.start(refuse(401), json({}));
    const fetching = Promise.withResolvers<string>();
    let asked = 0;
    const transport = new Transport(
      server.connection({ authorization: () => (asked++ === 0 ? fetching.promise : Promise.resolve("Bearer b")) }),
      "test",
    );
    const slow = transport.send(get);
    expect((await transport.send(get)).status).toBe(401);
    fetching.resolve("Bearer a");
    expect((await slow).status).toBe(200);
    await transport.close();
  });
});

describe("closing", () => {
  test("ends calls and watches, also those on connections from before a 401", async () => {
    await using server = await ScriptedServer.start(open, refuse(401), open, silence);
    const transport = new Transport(server.connection(), "test");
    const early = watch(transport);
    await early.opened;
    await transport.send(get);
    const late = watch(transport);
    await late.opened;
    const call = outcomeOf(transport.send(get));
    await server.arrived(4);
    await transport.close();
    const closed = { name: "ClientClosed", message: "the client is closed" };
    expect(await Promise.all([early.ended, late.ended, call])).toMatchObject([closed, closed, closed]);
    await expect.poll(() => server.sockets.size).toBe(0);
    expect(await outcomeOf(transport.send(get))).toMatchObject(closed);
  });

  test("twice is closing once", async () => {
    await using server = await ScriptedServer.start(text("ok"));
    const transport = new Transport(server.connection(), "test");
    await transport.send(get);
    await Promise.all([transport.close(), transport.close()]);
    await transport.close();
  });
});

describe("TLS", () => {
  const loopback = { ip: ["127.0.0.1"] };

  test("material is asked for at each new connection, so that a rotated CA takes effect", async () => {
    const [ours, theirs] = await Promise.all([makeCa("ours"), makeCa("theirs")]);
    // Each answer ends its connection, so that the next request needs a new one.
    const answer = text("ok", { headers: { connection: "close" } });
    await using server = await ScriptedServer.startTls(await ours.issue("server", loopback), answer);
    const trusted = [theirs.ca, ours.ca, theirs.ca];
    let asked = 0;
    const transport = new Transport(
      server.connection({ tls: async () => ({ ca: trusted[asked++] as string, rejectUnauthorized: true }) }),
      "test",
    );
    expect(await outcomeOf(transport.send(get))).toMatchObject({ name: "ConnectionError", sent: false });
    expect((await transport.send(get)).body.toString()).toBe("ok");
    // A session of the connection before must not be resumed past the check.
    expect(await outcomeOf(transport.send(get))).toMatchObject({ name: "ConnectionError", sent: false });
    expect({ asked, served: server.seen.length }).toEqual({ asked: 3, served: 1 });
    await transport.close();
  });

  test("is not agreed upon from scratch while the material is the same", async () => {
    const [ours, theirs] = await Promise.all([makeCa("ours"), makeCa("theirs")]);
    const reused: boolean[] = [];
    await using server = await ScriptedServer.startTls(await ours.issue("server", loopback), (response) => {
      reused.push((response.socket as TLSSocket).isSessionReused());
      response.writeHead(200, { connection: "close" }).end();
    });
    let ca = ours.ca;
    const transport = new Transport(server.connection({ tls: async () => ({ ca, rejectUnauthorized: true }) }), "test");
    await transport.send(get);
    await transport.send(get);
    await transport.send(get);
    ca = `${ours.ca}\n${theirs.ca}`;
    await transport.send(get);
    await transport.send(get);
    expect(reused).toEqual([false, true, true, false, true]);
    await transport.close();
  });

  test("material that is none is an error, and no more than that", async () => {
    await using server = await ScriptedServer.startTls(await (await makeCa()).issue("server", loopback), text("ok"));
    const tls = async () => ({ cert: "no certificate", rejectUnauthorized: true });
    const transport = new Transport(server.connection({ tls }), "test");
    expect(await outcomeOf(transport.send(get))).toMatchObject({ name: "ConnectionError", sent: false });
    await transport.close();
  });

  test("checks the name in the certificate, where it is another than the URL's", async () => {
    const ca = await makeCa();
    const certificate = await ca.issue("server", { dns: ["kubernetes.default.svc"] });
    await using server = await ScriptedServer.startTls(certificate, text("ok"));
    const via = (servername: string) =>
      new Transport(
        server.connection({ tls: async () => ({ ca: ca.ca, servername, rejectUnauthorized: true }) }),
        "test",
      );
    const right = via("kubernetes.default.svc");
    const wrong = via("elsewhere");
    expect((await right.send(get)).status).toBe(200);
    expect(await outcomeOf(wrong.send(get))).toMatchObject({ name: "ConnectionError", sent: false });
    await Promise.all([right.close(), wrong.close()]);
  });
});
