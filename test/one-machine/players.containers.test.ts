import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Informer } from "@berg/kube";
import { ChallengeInstances } from "@berg/resources";
import { beforeAll, expect, test } from "vitest";
import { InstanceBuilder } from "../scenarios/objects.ts";
import { openBrowser } from "./browser.ts";
import type { Started } from "./machine.ts";
import { onOneMachine } from "./on-one-machine.ts";
import { get, solveJail, solveNotes, solveVault, talk, urlOf } from "./players.ts";

onOneMachine((given) => {
  let notes: Started;
  let others: Started;
  let jail: Started;
  let vault: Started;

  beforeAll(async () => {
    const start = (challenge: string) => given.machine.startInstance(challenge);
    [notes, others, jail, vault] = await Promise.all([start("notes"), start("notes"), start("jail"), start("vault")]);
  });

  test("every sample runs, and is solved with what it prints", async () => {
    for (const { phase } of [notes, others, jail, vault]) expect(phase).toBe("Running");
    expect(await solveNotes(notes)).toBe(notes.flag);
    expect(await solveVault(vault)).toBe(vault.flag);
    expect(await solveJail(jail)).toBe(jail.flag);
  });

  test("the first request after an instance is Running is answered by the challenge", async () => {
    const client = await given.machine.client();
    const instances = new Informer({ client, type: ChallengeInstances });
    const stop = new AbortController();
    const answers = new Map<string, Promise<number>>();
    instances.onChange(({ object: { metadata, status } }) => {
      const [service] = status?.services ?? [];
      if (!names.includes(metadata.name) || status?.phase !== "Running" || answers.has(metadata.name)) return;
      const answer = get(`http://${service?.hostname}:${service?.port}/`).then(({ status }) => status);
      // After 5 s the gateway is no longer waited for: a machine that slow says nothing about the order of things.
      const ready = status.conditions?.find(({ type }) => type === "PodsReady")?.lastTransitionTime ?? "";
      const isLate = Date.parse(status.readyAt ?? "") - Date.parse(ready) >= 5_000;
      answers.set(metadata.name, isLate ? Promise.resolve(200) : answer);
    });
    const names = Array.from({ length: 4 }, (_, at) => `first-request-${at}`);
    const running = instances.run(stop.signal);
    const challenge = { metadata: { namespace: "berg", name: "notes" } };
    const place = { client, namespace: "berg", behaviours: new Map() };
    for (const name of names) await new InstanceBuilder(place, challenge).metadata({ name }).create();
    await expect.poll(() => answers.size, { timeout: 90_000 }).toBe(names.length);
    expect(await Promise.all(answers.values())).toEqual(names.map(() => 200));
    for (const name of names) await client.delete(ChallengeInstances, "berg", name);
    stop.abort();
    await running;
  });

  test("two players of one challenge have flags and addresses of their own", async () => {
    expect(await solveNotes(others)).toBe(others.flag);
    expect(others.flag).not.toBe(notes.flag);
    expect(urlOf(others)).not.toBe(urlOf(notes));
  });

  test("a challenge without a page greets with its banner at its own port", async () => {
    const [address] = jail.addresses;
    expect(address?.command).toBe(`nc localhost ${address?.port}`);
    const said = await talk("localhost", address?.port ?? 0, ["6*7"]);
    expect(said).toMatch(/^Welcome to the jail.*\n> 42\n> $/);
  });

  test("the same challenge answers over TLS, with a certificate that ca.crt vouches for", async () => {
    const address = jail.addresses.find(({ name }) => name === "jail-tls");
    expect(address?.command).toBe(`ncat --ssl ${address?.hostname} ${address?.port}`);
    const hostname = address?.hostname ?? "";
    const child = spawn("openssl", [
      ...["s_client", "-quiet", "-verify_return_error", "-CAfile", join(given.machine.dataDir, "ca.crt")],
      ...["-connect", `127.0.0.1:${address?.port}`, "-servername", hostname, "-verify_hostname", hostname],
    ]);
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      if (said.endsWith("\n> ") && !said.includes("42")) child.stdin.write("6*7\n");
      else if (said.includes("42\n> ")) child.kill();
    });
    await once(child, "close");
    expect(said).toMatch(/^Welcome to the jail.*\n> 42\n> $/);
  });

  test("a name that nobody has is answered plainly", async () => {
    const url = new URL(urlOf(notes));
    url.hostname = `nobody.${url.hostname.split(".").slice(1).join(".")}`;
    expect((await get(String(url))).status).toBe(404);
  });

  test("the notes open in a browser", async () => {
    await using browser = await openBrowser();
    const page = await browser.newPage();
    await page.goto(urlOf(notes));
    expect(await page.title()).toBe("Notes");
    await page.getByRole("link", { name: "shopping" }).click();
    await page.waitForURL(/note=shopping/);
    expect(await page.locator("pre").textContent()).toMatch(/\w/);
    const screenshot = join(await mkdtemp(join(tmpdir(), "berg-page-")), "notes.png");
    await page.screenshot({ path: screenshot });
    process.stdout.write(`the page as a browser shows it: ${screenshot}\n`);
  });
});
