/**
 * Pulls over real HTTP from a small registry in this process: no real registry can be had where these tests run. It
 * answers as the distribution specification says, with a token server beside it.
 */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, silentLogger } from "@berg/kube";
import { FakeClock } from "@berg/kube/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startTestServer } from "../testing/test-server.ts";
import { isPrivate } from "./address-guard.ts";
import { parseImageReference } from "./image-reference.ts";
import { ImageSource } from "./image-source.ts";
import { readHandoutSettings } from "./settings.ts";

const blob = Buffer.from("bytes of the handout");
const digestOf = (content: Buffer | string) => `sha256:${createHash("sha256").update(content).digest("hex")}`;

/** Each behaviour can be replaced by a test. */
class TestRegistry {
  layers = [{ digest: digestOf(blob), size: blob.length }];
  blob: Buffer = blob;
  /** What is asked for: nothing, Basic or Bearer. */
  auth: "none" | "basic" | "bearer" = "none";
  redirect: string | undefined;
  isDown = false;
  readonly requests: { path: string; authorization: string | undefined }[] = [];
  readonly #server = createServer((request, response) => this.#answer(request, response));

  async start(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get manifest(): string {
    return JSON.stringify({ schemaVersion: 2, layers: this.layers });
  }

  get pulls(): number {
    return this.requests.filter(({ path }) => path.includes("/blobs/")).length;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #answer({ url = "", headers }: IncomingMessage, response: ServerResponse): void {
    const { authorization } = headers;
    this.requests.push({ path: url, authorization });
    if (this.isDown) return void response.writeHead(503).end();
    const basic = `Basic ${Buffer.from("berg:pass:word").toString("base64")}`;
    if (url.startsWith("/token")) {
      const isKnown = authorization === basic && url.includes("scope=repository%3Ateam%2Fhandout%3Apull");
      return void response.writeHead(isKnown ? 200 : 401).end(JSON.stringify({ token: "t0ken" }));
    }
    const wanted = { none: undefined, basic, bearer: "Bearer t0ken" }[this.auth];
    if (wanted !== undefined && authorization !== wanted) {
      const bearer = `Bearer realm="http://${this.host}/token",service="registry"`;
      response.setHeader("www-authenticate", this.auth === "basic" ? 'Basic realm="x"' : bearer);
      return void response.writeHead(401).end();
    }
    if (url.startsWith("/v2/team/handout/manifests/")) return void response.end(this.manifest);
    if (url.startsWith("/v2/team/handout/blobs/") && this.redirect !== undefined) {
      return void response.writeHead(307, { location: this.redirect }).end();
    }
    if (url.startsWith("/v2/team/handout/blobs/") || url === "/elsewhere") return void response.end(this.blob);
    response.writeHead(404).end();
  }
}

let registry: TestRegistry;
let dataDir: string;
let clock: FakeClock;

beforeEach(async () => {
  registry = new TestRegistry();
  await registry.start();
  dataDir = await mkdtemp(join(tmpdir(), "berg-handouts-test-"));
  clock = new FakeClock();
});
afterEach(async () => {
  await registry.stop();
  await rm(dataDir, { recursive: true, force: true });
});

function secretsWith(auths: object): Client {
  const data = { ".dockerconfigjson": Buffer.from(JSON.stringify({ auths })).toString("base64") };
  return { get: async () => ({ metadata: { name: "pull" }, data }) } as unknown as Client;
}

function source(env: Record<string, string> = {}, client = {} as Client): ImageSource {
  const settings = readHandoutSettings({ HANDOUT_REGISTRIES: registry.host, ...env }, { dataDir });
  return new ImageSource({ settings, client, namespace: "berg", clock, log: silentLogger });
}

async function pull(images: ImageSource, { reference = ":1", pullSecret = undefined as string | undefined } = {}) {
  const image = parseImageReference(`${registry.host}/team/handout${reference}`);
  if (!image) throw new Error("not a reference");
  const { handle, size } = await images.open({ kind: "image", image, pullSecret, isInsecure: true });
  const content = await handle.readFile();
  await handle.close();
  expect(content.length).toBe(size);
  return content;
}

describe("a pull", () => {
  test("sends the only layer, and keeps it by its digest", async () => {
    const images = source();
    expect(await pull(images)).toEqual(blob);
    expect(await pull(images)).toEqual(blob);
    expect(registry.pulls).toBe(1);
    const name = digestOf(blob).replace("sha256:", "");
    expect(await readdir(join(dataDir, "handouts"))).toEqual([name]);
    expect(await readFile(join(dataDir, "handouts", name))).toEqual(blob);
    // Also after a restart.
    expect(await pull(source())).toEqual(blob);
    expect(registry.pulls).toBe(1);
  });

  test("is done once for all who ask at the same time", async () => {
    const images = source();
    const all = await Promise.all(Array.from({ length: 20 }, () => pull(images)));
    expect(all).toEqual(Array.from({ length: 20 }, () => blob));
    expect(registry.pulls).toBe(1);
  });

  test("by digest checks the manifest", async () => {
    expect(await pull(source(), { reference: `@${digestOf(registry.manifest)}` })).toEqual(blob);
    await expect(pull(source(), { reference: `@${digestOf("other")}` })).rejects.toThrow("manifest has the digest");
  });

  test("asks again after a minute what a tag means, and goes on without the registry", async () => {
    const images = source();
    await pull(images);
    registry.blob = Buffer.from("the second version");
    registry.layers = [{ digest: digestOf(registry.blob), size: registry.blob.length }];
    expect(await pull(images)).toEqual(blob);
    await clock.advance(61_000);
    expect(await pull(images)).toEqual(registry.blob);
    registry.isDown = true;
    await clock.advance(61_000);
    expect(await pull(images)).toEqual(registry.blob);
  });

  test.each(["basic", "bearer"] as const)("uses the credentials of the pull secret: %s", async (auth) => {
    registry.auth = auth;
    const client = secretsWith({
      [`https://${registry.host}/v2/`]: { auth: Buffer.from("berg:pass:word").toString("base64") },
      "other.example": { username: "no", password: "no" },
    });
    expect(await pull(source({}, client), { pullSecret: "pull" })).toEqual(blob);
    await expect(pull(source({}, secretsWith({})), { pullSecret: "pull", reference: ":2" })).rejects.toThrow();
  });

  test("follows one redirect, without the credentials where it leads to another host", async () => {
    registry.auth = "basic";
    const other = new TestRegistry();
    await other.start();
    registry.redirect = `http://${other.host}/elsewhere`;
    const client = secretsWith({ [registry.host]: { username: "berg", password: "pass:word" } });
    const env = { HANDOUT_REGISTRIES: `${registry.host},${other.host}` };
    expect(await pull(source(env, client), { pullSecret: "pull" })).toEqual(blob);
    expect(other.requests).toEqual([{ path: "/elsewhere", authorization: undefined }]);
    await other.stop();
  });
});

describe("is refused:", () => {
  test("a registry that is not listed", async () => {
    await expect(pull(source({ HANDOUT_REGISTRIES: "ghcr.io" }))).rejects.toThrow("HANDOUT_REGISTRIES");
    expect(registry.requests).toEqual([]);
  });

  test("a private address that is listed without its port", async () => {
    const image = parseImageReference("127.0.0.1/team/handout:1");
    const images = source({ HANDOUT_REGISTRIES: "127.0.0.1,localhost" });
    for (const host of ["127.0.0.1", "localhost"]) {
      const of = { ...image, registry: host } as NonNullable<typeof image>;
      const attachment = { kind: "image", image: of, pullSecret: undefined, isInsecure: true } as const;
      await expect(images.open(attachment)).rejects.toThrow("private address");
    }
  });

  test.each([
    "http://127.0.0.1:1/elsewhere",
    "http://localhost:1/x",
    "http://[::1]:1/x",
    "http://169.254.169.254/latest",
  ])("a redirect to %s", async (location) => {
    registry.redirect = location;
    await expect(pull(source())).rejects.toThrow("private address");
  });

  test("a second redirect", async () => {
    registry.redirect = `http://${registry.host}/v2/team/handout/blobs/again`;
    await expect(pull(source())).rejects.toThrow("answered 307");
  });

  test("a redirect to another scheme", async () => {
    registry.redirect = "file:///etc/passwd";
    await expect(pull(source())).rejects.toThrow("without TLS");
  });

  test("more than one layer, an index, or none", async () => {
    registry.layers = [];
    await expect(pull(source())).rejects.toThrow("exactly one layer");
    registry.layers = Array.from({ length: 2 }, () => ({ digest: digestOf(blob), size: 1 }));
    await expect(pull(source())).rejects.toThrow("exactly one layer");
  });

  test("bytes with another digest, and more of them than promised; nothing is kept", async () => {
    registry.blob = Buffer.from("Bytes of the handout");
    await expect(pull(source())).rejects.toThrow("has the digest");
    registry.blob = Buffer.concat([blob, blob]);
    await expect(pull(source())).rejects.toThrow("larger than");
    expect(await readdir(join(dataDir, "handouts"))).toEqual([]);
  });

  test("a file above the limit", async () => {
    await expect(pull(source({ HANDOUT_MAX_BYTES: "10" }))).rejects.toThrow("HANDOUT_MAX_BYTES");
    expect(registry.pulls).toBe(0);
  });
});

test("the cache stays within its size: what was not used for longest goes", async () => {
  // The cache holds four times the largest file.
  const images = source({ HANDOUT_MAX_BYTES: "100" });
  for (let count = 0; count < 8; count++) {
    registry.blob = Buffer.alloc(100, count);
    registry.layers = [{ digest: digestOf(registry.blob), size: 100 }];
    await pull(images, { reference: `:${count}` });
    await clock.advance(1_000);
  }
  const kept = await readdir(join(dataDir, "handouts"));
  const newest = [4, 5, 6, 7].map((count) => digestOf(Buffer.alloc(100, count)).replace("sha256:", ""));
  expect(kept.sort()).toEqual(newest.sort());
});

test("over HTTP a failure is a problem without the reason, which is in the log", async () => {
  const handouts = readHandoutSettings({ HANDOUT_REGISTRIES: registry.host }, { dataDir });
  await using server = await startTestServer({ handouts });
  const downloadImage = `${registry.host}/team/handout:1`;
  server.addChallenge("web", { attachments: [{ fileName: "a.bin", downloadImage, downloadImageInsecure: true }] });
  const sent = await server.app.inject({ url: "/api/challenges/web/handout/0" });
  expect([sent.statusCode, sent.rawPayload]).toEqual([200, blob]);
  registry.layers = [];
  server.addChallenge("web", {
    attachments: [{ downloadImage: downloadImage.replace(":1", ":2"), downloadImageInsecure: true }],
  });
  const failed = await server.app.inject({ url: "/api/challenges/web/handout/0" });
  expect([failed.statusCode, failed.json().code]).toEqual([502, "handout_unavailable"]);
  expect(failed.body).not.toContain(registry.host);
  expect(server.lines.join("\n")).toContain("exactly one layer");
});

test.each([
  ["10.1.2.3", true],
  ["::1", true],
  ["::ffff:127.0.0.1", true],
  ["fd00::1", true],
  ["169.254.169.254", true],
  ["8.8.8.8", false],
  ["2001:4860:4860::8888", false],
])("%s is private: %s", (address, want) => expect(isPrivate(address)).toBe(want));

test("settings: every mistake at once", () => {
  const read = () => readHandoutSettings({ HANDOUT_REGISTRIES: "a/b, ghcr.io", HANDOUT_MAX_BYTES: "1G" });
  expect(read).toThrow(/"a\/b" is not a host[\s\S]*"1G" is not a number of bytes/);
});
