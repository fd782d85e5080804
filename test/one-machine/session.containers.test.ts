/** A session of the pages never reaches a challenge, and a challenge cannot use it: in a real browser, with a real container. */
import { readFileSync } from "node:fs";
import type { Instance } from "@berg/api/wire";
import { imageArchive } from "@berg/local-node";
import { Challenges } from "@berg/resources";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { nodeLayer } from "../../packages/cli/src/samples/node-layer.ts";
import { type Browser, openBrowser } from "./browser.ts";
import { onOneMachine } from "./on-one-machine.ts";

const image = "berg.test/headers:1";
const port = 8080;
/** Prints the headers of the request. */
const program = `
  import { createServer } from "node:http";
  createServer(({ headers }, response) => response.end(JSON.stringify(headers))).listen(${port});`;

onOneMachine((given) => {
  let browser: Browser;
  let page: Page;
  let publicUrl: string;
  let nodePort: number;

  beforeAll(async () => {
    const layers = [await nodeLayer(), { "/srv/headers.mjs": { content: program } }];
    const command = ["/usr/bin/node", "/srv/headers.mjs"];
    await given.machine.engine.loadImage(imageArchive({ name: image, layers, command }));
    const client = await given.machine.client();
    const readinessProbe = { tcpSocket: { port }, periodSeconds: 1 };
    const container = { hostname: "web", image, ports: [{ name: "web", port, type: "publicPort" }], readinessProbe };
    const metadata = { namespace: "berg", name: "headers" };
    await client.create(Challenges, { metadata, spec: { containers: [container] } } as never);
    publicUrl = /pages +(http\S+)/.exec(given.up.said())?.[1] ?? "";
    browser = await openBrowser();
    page = await browser.newPage();
  });
  afterAll(() => browser?.[Symbol.asyncDispose]());

  /** As the pages ask: from their own origin, with the session. */
  const ask = (method: string, path: string, body?: object): Promise<Instance> =>
    page.evaluate(
      async ([method, path, body]): Promise<Instance> => {
        const headers = { "content-type": "application/json" };
        const answer = await fetch(path, { method, ...(body && { headers, body }) });
        return (await answer.json()) as Instance;
      },
      [method, path, body && JSON.stringify(body)] as const,
    );
  /** The headers that the challenge got, opened at this address. */
  const headersAt = async (url: string): Promise<Record<string, string>> => {
    await page.goto(url);
    return JSON.parse((await page.locator("body").textContent()) ?? "");
  };

  test("a player signs in and starts a challenge that has a port of its own", async () => {
    const file = /links .* are in (\S+)/.exec(given.up.said())?.[1] ?? "";
    await page.goto(/player +(http\S+)/.exec(readFileSync(file, "utf8"))?.[1] ?? "");
    const button = page.getByRole("button", { name: "Sign in as Player" });
    await button.waitFor();
    expect(await page.context().cookies(), "the link alone signs nobody in").toEqual([]);
    await button.click();
    await page.waitForURL("**/challenges");
    expect(await page.context().cookies()).toEqual([expect.objectContaining({ name: "berg", httpOnly: true })]);
    // Until the API knows the challenge, too.
    await expect
      .poll(() => ask("POST", "/api/instances/current", { challenge: "headers" }), { timeout: 30_000 })
      .toMatchObject({ name: "headers" });
    await expect.poll(async () => (await ask("GET", "/api/instances/current")).status, { timeout: 90_000 }).toBe(2);
    const { services } = await ask("GET", "/api/instances/current");
    expect(services).toEqual([expect.objectContaining({ hostname: "localhost", protocol: "tcp" })]);
    nodePort = services[0]?.port ?? 0;
  });

  test("the address that the pages show gets no cookie of Berg", async () => {
    const headers = await headersAt(`http://localhost:${nodePort}/`);
    expect(headers.host).toBe(`localhost:${nodePort}`);
    expect(headers.cookie).toBeUndefined();
  });

  test("the same port under the pages' own name gets it on plain http, as the warning says", async () => {
    const { hostname } = new URL(publicUrl);
    expect((await headersAt(`http://${hostname}:${nodePort}/`)).cookie).toMatch(/^berg=[\w-]{43}$/);
  });

  test.each([
    ["another site", () => "localhost"],
    // Its requests carry the cookie: only the Origin tells them apart.
    ["the same site", () => new URL(publicUrl).hostname],
  ])("a page of the challenge at %s can neither change anything nor open a socket", async (_, hostname) => {
    await page.goto(`http://${hostname()}:${nodePort}/`);
    const socket = await page.evaluate(
      (url) =>
        new Promise((resolve) => {
          const socket = new WebSocket(url);
          socket.onopen = () => resolve("open");
          socket.onerror = () => resolve("refused");
        }),
      `${publicUrl.replace("http", "ws")}/api/events`,
    );
    const signOut = `${publicUrl}/api/sign-out`;
    const script = await page.evaluate((url) => {
      const options = { method: "POST", credentials: "include", mode: "no-cors", body: "x" } as const;
      return fetch(url, options).then(
        () => "answered",
        () => "hidden",
      );
    }, signOut);
    const answered = page.waitForResponse((response) => response.url() === signOut);
    await page.setContent(`<form method="post" enctype="text/plain" action="${signOut}"><button>x</button></form>`);
    await page.getByRole("button").click();
    expect([socket, script, (await answered).status()]).toEqual(["refused", "hidden", 403]);
    await page.goto(`${publicUrl}/challenges`);
    expect((await ask("GET", "/api/instances/current")).name).toBe("headers");
  });
});
