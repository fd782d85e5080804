import { getEventListeners } from "node:events";
import { FrameError, type KubeList, StatusError, type Stored, type WatchEvent } from "@berg/apimachinery";
import { describe, expect, test } from "vitest";
import type { Client, ListOptions, WatchOptions } from "../client/client.ts";
import { ConnectionError } from "../client/transport.ts";
import { sleep } from "../clock.ts";
import { type ConfigMap, ConfigMaps } from "../kinds.ts";
import { type Logger, silentLogger } from "../log.ts";
import { FakeClock, settle } from "../testing/fake-clock.ts";
import { storedConfigMap } from "../testing/objects.ts";
import { Reflector } from "./reflector.ts";

/**
 * Stands in for a server whose every answer the test decides; the same faults on a real one are in
 * test/runtime/informer.real.test.ts.
 */
class PuppetServer {
  readonly asked: string[] = [];
  readonly #clock: FakeClock;
  watchOptions: WatchOptions | undefined;
  send: (events: WatchEvent<ConfigMap>[]) => void = () => {};
  end: (error?: Error) => void = () => {};
  items: Stored<ConfigMap>[] = [];
  version = "10";
  refuseStreaming = true;
  listTakesMs = 0;
  ignoresAborts = false;
  onList: (options: ListOptions) => void = () => {};

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  readonly client = {
    listAll: async (_: unknown, options: ListOptions = {}) => {
      this.asked.push("list");
      if (this.listTakesMs > 0) await sleep(this.#clock, this.listTakesMs, options.signal);
      this.onList(options);
      return { metadata: { resourceVersion: this.version }, items: [...this.items] } as KubeList<Stored<ConfigMap>>;
    },
    list: async (_: unknown, options: ListOptions = {}) => {
      this.asked.push(`confirm ${options.resourceVersion}`);
      this.onList(options);
      return { metadata: {}, items: [] } as unknown as KubeList<Stored<ConfigMap>>;
    },
    watch: (_: unknown, options: WatchOptions, onEvents: (events: WatchEvent<ConfigMap>[]) => void) => {
      if (options.sendInitialEvents && this.refuseStreaming) {
        return Promise.reject(new StatusError(failure(422, "Invalid")));
      }
      this.asked.push(options.sendInitialEvents ? "stream" : `watch ${options.resourceVersion}`);
      this.watchOptions = options;
      options.onOpen?.();
      return new Promise<void>((resolve, reject) => {
        const onAbort = () => this.ignoresAborts || reject(options.signal?.reason);
        options.signal?.addEventListener("abort", onAbort, { once: true });
        this.end = (error) => (error ? reject(error) : resolve());
        this.send = (events) => {
          try {
            options.onBytes?.(1);
            onEvents(events);
          } catch (error) {
            reject(error);
          }
        };
      });
    },
  } as unknown as Pick<Client, "list" | "listAll" | "watch">;

  /** Long enough for a watch to count as one that worked. */
  async live(): Promise<void> {
    await this.#clock.advance(11_000);
  }
}

function failure(code: number, reason: string, causes?: { reason: string }[]) {
  return {
    apiVersion: "v1",
    kind: "Status",
    status: "Failure",
    code,
    reason,
    ...(causes ? { details: { causes } } : {}),
  } as const;
}

async function start(prepare: (server: PuppetServer) => void = () => {}) {
  const clock = new FakeClock();
  const server = new PuppetServer(clock);
  prepare(server);
  const seen: string[] = [];
  const relists: string[] = [];
  const resets: boolean[] = [];
  const warnings: object[] = [];
  const infos: string[] = [];
  const log: Logger = {
    ...silentLogger,
    info: (_, message) => infos.push(message),
    warn: (fields, message) => warnings.push({ message, ...fields }),
  };
  const stop = new AbortController();
  const reflector = new Reflector<ConfigMap>({
    client: server.client,
    type: ConfigMaps,
    selection: {},
    clock,
    random: () => 0.5,
    log,
    metrics: { relisted: (reason) => relists.push(reason), sample: () => () => {} },
    onReplace: (objects, { reset }) => {
      resets.push(reset);
      seen.push(`= ${objects.map(({ metadata }) => metadata.name).join(" ")}`);
    },
    onEvents: (events) => seen.push(...events.map(({ type, object }) => `${type} ${object.metadata.name}`)),
  });
  const run = reflector.run(stop.signal);
  await settle();
  const finish = async () => {
    stop.abort(new Error("enough"));
    await run;
    expect(clock.timers).toBe(0);
  };
  return { clock, server, seen, relists, resets, warnings, infos, reflector, stop, finish };
}

const added = (name: string, version: number): WatchEvent<ConfigMap> => ({
  type: "ADDED",
  object: storedConfigMap(name, version),
});
const bookmark = (resourceVersion: string, annotations?: Record<string, string>): WatchEvent<ConfigMap> => ({
  type: "BOOKMARK",
  object: {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { resourceVersion, ...(annotations ? { annotations } : {}) },
  },
});

describe("a reflector", () => {
  test("lists, then watches from the list's version, with bookmarks and an end of its own", async () => {
    const { server, seen, finish } = await start((it) => {
      it.items = [storedConfigMap("a", 3)];
    });
    server.send([added("b", 11)]);
    expect(server.asked).toEqual(["list", "watch 10"]);
    expect(server.watchOptions).toMatchObject({ allowWatchBookmarks: true, timeoutSeconds: 450 });
    expect(seen).toEqual(["= a", "ADDED b"]);
    await finish();
  });

  test("resumes from the last event or bookmark when the server ends the watch", async () => {
    const { server, clock, relists, finish } = await start();
    server.send([added("a", 11), bookmark("15")]);
    await clock.advance(300_000 / 4);
    server.end();
    await settle();
    expect(server.asked).toEqual(["list", "watch 10", "watch 15"]);
    expect(relists).toEqual(["start"]);
    await finish();
  });

  test("asks a server that came back whether it still knows our version, then resumes", async () => {
    const { server, clock, finish } = await start();
    server.send([added("a", 11)]);
    await server.live();
    server.end(new ConnectionError("reset", { sent: true, cause: undefined }));
    await clock.advance(800);
    expect(server.asked).toEqual(["list", "watch 10", "confirm 11", "watch 11"]);
    await finish();
  });

  test("lists anew where the server's data was set back", async () => {
    const { server, clock, relists, resets, finish } = await start();
    await server.live();
    server.onList = (options) => {
      if (options.limit === 1) throw new StatusError(failure(504, "Timeout", [{ reason: "ResourceVersionTooLarge" }]));
    };
    server.end(new ConnectionError("reset", { sent: true, cause: undefined }));
    await clock.advance(5_000);
    expect(server.asked).toEqual(["list", "watch 10", "confirm 10", "list", "watch 10"]);
    expect(relists).toEqual(["start", "reset"]);
    // Whoever keeps the objects must not trust equal versions now.
    expect(resets).toEqual([false, true]);
    await finish();
  });

  test("remembers that the server's data was set back until it has listed anew, and no longer", async () => {
    const { server, clock, relists, resets, finish } = await start();
    let lists = 0;
    server.onList = () => {
      if (lists++ === 0) throw new StatusError(failure(410, "Expired"));
    };
    server.send([added("a", 9)]);
    await clock.advance(5_000);
    expect(relists).toEqual(["start", "reset", "expired"]);
    server.send([{ type: "ERROR", object: failure(500, "InternalError") }]);
    await clock.advance(5_000);
    expect(relists.at(-1)).toBe("error_frame");
    expect(resets).toEqual([false, true, false]);
    await finish();
  });

  const relisting: Record<string, { cause: (server: PuppetServer) => void; wantReason: string }> = {
    "the history is gone (410)": {
      cause: (server) => server.end(new StatusError(failure(410, "Expired"))),
      wantReason: "expired",
    },
    "an ERROR frame says that it is gone": {
      cause: (server) => server.send([{ type: "ERROR", object: failure(410, "Expired") }]),
      wantReason: "expired",
    },
    "an ERROR frame says anything else": {
      cause: (server) => server.send([{ type: "ERROR", object: failure(500, "InternalError") }]),
      wantReason: "error_frame",
    },
    "a frame cannot be read": {
      cause: (server) => server.end(new FrameError("not-json", { frame: 1, offset: 0 }, "it is not JSON")),
      wantReason: "garbled",
    },
    "a version comes that is older than one before": {
      cause: (server) => server.send([added("a", 9)]),
      wantReason: "reset",
    },
  };
  for (const [name, { cause, wantReason }] of Object.entries(relisting)) {
    test(`lists anew when ${name}`, async () => {
      const { server, clock, relists, finish } = await start();
      cause(server);
      await clock.advance(800);
      expect(server.asked).toEqual(["list", "watch 10", "list", "watch 10"]);
      expect(relists).toEqual(["start", wantReason]);
      await finish();
    });
  }

  test("delivers what came before a fault in the same batch", async () => {
    const { server, seen, finish } = await start();
    server.send([added("a", 11), { type: "ERROR", object: failure(410, "Expired") }, added("b", 12)]);
    expect(seen).toEqual(["= ", "ADDED a"]);
    await finish();
  });

  test("takes silence for death after 90 s, and bookmarks for life", async () => {
    const { server, clock, finish } = await start();
    for (let minute = 1; minute <= 3; minute++) {
      await clock.advance(60_000);
      server.send([bookmark(String(10 + minute))]);
    }
    await clock.advance(89_000);
    expect(server.asked).toEqual(["list", "watch 10"]);
    await clock.advance(2_000);
    expect(server.asked).toEqual(["list", "watch 10", "confirm 13", "watch 13"]);
    await finish();
  });

  test("waits longer after each failure, up to 30 s, and starts afresh after a watch that lived", async () => {
    const { server, clock, finish } = await start();
    const waits: number[] = [];
    for (let failures = 0; failures < 8; failures++) {
      const before = clock.monotonic();
      const watches = server.asked.length;
      server.end(new ConnectionError("refused", { sent: false, cause: undefined }));
      while (server.asked.length === watches) await clock.advance(100);
      waits.push(clock.monotonic() - before);
    }
    // random() is 0.5 here: half of 0.8, 1.6, 3.2 … 30 s.
    expect(waits).toEqual([400, 800, 1600, 3200, 6400, 12800, 15000, 15000]);
    await server.live();
    server.end(new ConnectionError("reset", { sent: true, cause: undefined }));
    const before = server.asked.length;
    await clock.advance(400);
    expect(server.asked.length).toBeGreaterThan(before);
    await finish();
  });

  test("waits longer after each list that takes its time to fail", async () => {
    const { server, clock, finish } = await start((it) => {
      it.listTakesMs = 60_000;
      it.onList = () => {
        throw new StatusError(failure(504, "Timeout"));
      };
    });
    await clock.advance(20 * 60_000);
    // 20 lists at once after each other without backoff, 15 with waits of 0.4, 0.8 … 15, 15 s.
    expect(server.asked.length).toBeGreaterThan(12);
    expect(server.asked.length).toBeLessThan(18);
    await finish();
  });

  test("does not storm a server that accepts each watch and closes it at once", async () => {
    const { server, clock, finish } = await start();
    for (let turn = 0; turn < 600; turn++) {
      server.end();
      await clock.advance(100);
    }
    expect(server.asked.filter((what) => what.startsWith("watch")).length).toBeLessThan(12);
    await finish();
  });

  test("streams the list where the server can, and takes it over whole at its end", async () => {
    const { server, seen, finish } = await start((it) => {
      it.refuseStreaming = false;
    });
    server.send([added("b", 7), added("a", 3)]);
    server.send([bookmark("8")]);
    expect(seen).toEqual([]);
    server.send([bookmark("9", { "k8s.io/initial-events-end": "true" }), added("c", 12)]);
    expect(seen).toEqual(["= b a", "ADDED c"]);
    expect(server.asked).toEqual(["stream"]);
    await finish();
  });

  test("lists from then on where a streamed list never ended", async () => {
    const { server, clock, seen, finish } = await start((it) => {
      it.refuseStreaming = false;
    });
    server.send([added("b", 7)]);
    server.end();
    await clock.advance(800);
    expect(server.asked).toEqual(["stream", "list", "watch 10"]);
    expect(seen).toEqual(["= "]);
    await finish();
  });

  test("lists from then on where a streamed list brings nothing more but bookmarks", async () => {
    const { server, clock, seen, finish } = await start((it) => {
      it.refuseStreaming = false;
    });
    await clock.advance(29_000);
    server.send([added("b", 7)]);
    for (let second = 0; second < 29; second++) {
      await clock.advance(1000);
      server.send([bookmark("8")]);
    }
    expect(server.asked).toEqual(["stream"]);
    await clock.advance(1800);
    expect(server.asked).toEqual(["stream", "list", "watch 10"]);
    expect(seen).toEqual(["= "]);
    await finish();
  });

  test("has all the time in the world for what comes after a streamed list", async () => {
    const { server, clock, finish } = await start((it) => {
      it.refuseStreaming = false;
    });
    server.send([bookmark("9", { "k8s.io/initial-events-end": "true" })]);
    await clock.advance(80_000);
    server.send([bookmark("10")]);
    await clock.advance(80_000);
    expect(server.asked).toEqual(["stream"]);
    await finish();
  });

  test("compares versions only where they are numbers", async () => {
    const { server, clock, relists, seen, finish } = await start((it) => {
      it.version = "w2-9f";
    });
    const versioned = (name: string, version: string): WatchEvent<ConfigMap> => ({
      type: "ADDED",
      object: storedConfigMap(name, version),
    });
    server.send([versioned("a", "w1-03"), versioned("b", "a")]);
    server.send([versioned("c", "10"), versioned("d", "100"), versioned("e", "99999999999999999999")]);
    await clock.advance(2_000);
    expect(seen).toEqual(["= ", "ADDED a", "ADDED b", "ADDED c", "ADDED d", "ADDED e"]);
    expect(relists).toEqual(["start"]);
    await finish();
  });

  test("does not watch from nowhere when a list has no version", async () => {
    const { server, clock, seen, finish } = await start((it) => {
      it.version = "";
    });
    expect([server.asked, seen]).toEqual([["list"], []]);
    server.version = "10";
    await clock.advance(800);
    expect(server.asked).toEqual(["list", "list", "watch 10"]);
    await finish();
  });

  const needsAPerson: Record<string, { refusal: StatusError; wantRemedy: string }> = {
    "is not allowed": {
      refusal: new StatusError({ ...failure(403, "Forbidden"), message: 'User "berg" cannot list resource' }),
      wantRemedy: "allow this account to list and watch configmaps, by a role and a binding",
    },
    "is not served": {
      refusal: new StatusError({ ...failure(404, "NotFound"), message: "could not find the requested resource" }),
      wantRemedy: "install the CustomResourceDefinition of configmaps, with version v1 served",
    },
    "is refused to whoever it takes us for": {
      refusal: new StatusError({ ...failure(401, "Unauthorized"), message: "Unauthorized" }),
      wantRemedy: "give this process a token or certificate that the server accepts",
    },
  };
  for (const [name, { refusal, wantRemedy }] of Object.entries(needsAPerson)) {
    test(`warns with what to do when a resource ${name}, and goes on by itself when it was done`, async () => {
      const { server, clock, seen, warnings, finish } = await start((it) => {
        it.onList = () => {
          throw refusal;
        };
      });
      expect(warnings).toEqual([
        {
          message: "cannot list and watch",
          resource: "configmaps",
          error: refusal.message,
          remedy: wantRemedy,
          relist: undefined,
          failures: 1,
          delay: 400,
        },
      ]);
      server.onList = () => {};
      await clock.advance(400);
      expect(seen).toEqual(["= "]);
      await finish();
    });
  }

  test("warns of a server that it never reached, and of one that stays away, but not of a reconnect", async () => {
    const cause = Object.assign(new Error(), { code: "ECONNREFUSED" });
    const refused = new ConnectionError("connect ECONNREFUSED", { sent: false, cause });
    const refuse = () => {
      throw refused;
    };
    const { server, clock, warnings, infos, finish } = await start((it) => {
      it.onList = refuse;
    });
    const warning = {
      message: "cannot list and watch",
      resource: "configmaps",
      error: "connect ECONNREFUSED",
      remedy: "check the server address in the kubeconfig, and that it is up",
    };
    expect([warnings, infos]).toEqual([[{ ...warning, relist: undefined, failures: 1, delay: 400 }], []]);

    server.onList = () => {};
    await clock.advance(400);
    await server.live();
    server.onList = refuse;
    server.end(refused);
    // Failures at 0, 0.4, 1.2, 2.8 and 6 s.
    await clock.advance(5_999);
    expect([warnings.length, infos]).toEqual([1, Array(4).fill("watch is reopened")]);
    await clock.advance(1);
    expect(warnings.slice(1)).toEqual([{ ...warning, relist: undefined, failures: 5, delay: 6400 }]);
    await clock.advance(120_000);
    expect(warnings.length).toBeLessThan(12);
    await finish();
  });

  test("is deaf only while a watch that is open brings nothing, never while the server is away", async () => {
    const { server, clock, reflector, finish } = await start();
    await clock.advance(60_000);
    expect(reflector.deafForMs).toBe(60_000);
    server.send([bookmark("11")]);
    expect(reflector.deafForMs).toBe(0);
    server.onList = () => {
      throw new ConnectionError("refused", { sent: false, cause: undefined });
    };
    server.end(new ConnectionError("reset", { sent: true, cause: undefined }));
    await clock.advance(3_600_000);
    expect(reflector.deafForMs).toBe(0);
    expect(reflector.silentForMs).toBe(3_600_000);
    await finish();
  });

  test("counts as deaf when a watch stays in spite of being ended", async () => {
    const { server, clock, reflector, stop } = await start();
    await clock.advance(60_000);
    server.end();
    server.ignoresAborts = true;
    await clock.advance(400_000);
    expect(reflector.deafForMs).toBe(400_000);
    stop.abort();
    server.end();
  });

  test("leaves nothing behind on the signal that it runs by, however many watches there were", async () => {
    const { server, clock, stop, finish } = await start();
    for (let turn = 0; turn < 50; turn++) {
      await clock.advance(2_000);
      server.end();
    }
    await clock.advance(2_000);
    expect(getEventListeners(stop.signal, "abort").length).toBe(1);
    await finish();
    expect(getEventListeners(stop.signal, "abort")).toEqual([]);
  });

  test("keeps trying a list that fails, without end", async () => {
    let failures = 0;
    const { clock, server, seen, finish } = await start((it) => {
      it.onList = () => {
        if (failures++ < 20) throw new StatusError(failure(503, "ServiceUnavailable"));
      };
    });
    await clock.advance(600_000);
    expect(server.asked.filter((what) => what === "list")).toHaveLength(21);
    expect(seen).toEqual(["= "]);
    await finish();
  });
});
