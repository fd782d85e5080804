import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isNotFound } from "@berg/apimachinery";
import { createClient, loadConnection, systemClock } from "@berg/kube";
import { ChallengeInstances } from "@berg/resources";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { TestAuthor, webChallenge } from "./testing/author.ts";

let author: TestAuthor;
beforeEach(async () => {
  author = await TestAuthor.create();
});
afterEach(() => author[Symbol.asyncDispose]());

const simulated = ["--runtime", "simulated"];

async function instances(): Promise<string[]> {
  const kubeconfig = join(author.directory, ".berg/kubeconfig");
  const { signal } = new AbortController();
  const client = createClient({ connection: await loadConnection({ kubeconfig, clock: systemClock, signal }) });
  try {
    return (await client.list(ChallengeInstances)).items.map(({ metadata }) => metadata.name);
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  } finally {
    await client.close();
  }
}

describe("berg dev without an engine", { timeout: 120_000 }, () => {
  test("runs the Challenge, replaces the instance as the YAML changes, and keeps it where that has a mistake", async () => {
    await author.write({ "challenge.yaml": webChallenge() });
    const dev = author.dev(...simulated);
    await dev.says("to end");
    expect(dev.said).toContain("Pods are simulated here: no image is built");
    expect(dev.said).toMatch(
      /page-dev-\w{6} runs:\n {2}address {2}http:\/\/\w+\.localhost:\d+\/\n {2}flag {5}flag\{page_/,
    );
    const first = await instances();

    dev.forget();
    await author.write({ "challenge.yaml": webChallenge().replace("hostname: web", "hostnam: web") });
    await dev.says("The instance goes on as it was, until this is put right.");
    expect(dev.said).toMatch(/challenge\.yaml:\d+:\d+: error: spec\.containers\[0\]\.hostnam/);
    expect(await instances()).toEqual(first);

    dev.forget();
    await author.write({ "challenge.yaml": webChallenge().replaceAll("8080", "8081") });
    await dev.says("to end");
    expect(dev.said).toMatch(/^Changed: challenge\.yaml\n/);
    expect(await instances()).toEqual(first);

    dev.forget();
    await author.write({ "challenge.yaml": `# a comment\n${webChallenge().replaceAll("8080", "8081")}` });
    await delay(1_000);
    expect(dev.said).toBe("");
    dev.child.kill("SIGINT");
    expect(await dev.ended).toEqual([0, null]);
    expect(dev.said).toBe("Ending the instance.\n");
  });

  test("a file that goes and comes back by another name, and a second container, are followed; Ctrl-C twice ends it", async () => {
    await author.write({ "challenge.yaml": webChallenge() });
    const dev = author.dev(...simulated);
    await dev.says("to end");
    dev.forget();
    await rm(join(author.directory, "challenge.yaml"));
    await dev.says(
      "cannot read challenge.yaml: there is no such file\nThe instance goes on as it was, until this is put",
    );
    dev.forget();
    const second =
      "    - hostname: data\n      image: berg.test/dev-data:1\n      dynamicFlag:\n        content: { path: '/{entropy}' }\n";
    await author.write({ ".challenge.yaml.swp": webChallenge(second) });
    await rename(join(author.directory, ".challenge.yaml.swp"), join(author.directory, "challenge.yaml"));
    await dev.says("to end");
    expect(dev.said).toMatch(/^Changed: challenge\.yaml\n/);
    expect(dev.said).toMatch(
      /in container web: the environment variable FLAG\n +in container data: the file \/[0-9a-f]{12}\n/,
    );
    dev.child.kill("SIGINT");
    await dev.says("Ending the instance.");
    dev.child.kill("SIGINT");
    expect(await dev.ended).toSatisfy(([code, signal]) => code === 0 || signal === "SIGINT");
  });

  test.each([
    { args: ["--data-dir", "/proc/berg"], want: "error: cannot keep data in /proc/berg: it is no directory" },
    { args: ["--data-dir", ""], want: "A directory has a name." },
  ])("says what is wrong with $args", async ({ args, want }) => {
    await author.write({ "challenge.yaml": webChallenge() });
    const dev = author.dev(...simulated, ...args);
    expect(await dev.ended).toEqual([2, null]);
    expect(dev.said).toContain(want);
  });

  test("uses the berg up that runs; what a killed one left is removed by the next, and by the next berg up", async () => {
    await author.write({ "challenge.yaml": webChallenge() });
    const ports = ["--port", "0", "--http-port", "0", "--tls-port", "0", "--web-port", "0", "--no-samples"];
    const up = author.berg("up", ...simulated, ...ports);
    await up.says("Ctrl-C stops it");
    const killed = author.dev();
    await killed.says("to end");
    expect(killed.said).toContain(`Using the berg up of ${author.directory}/.berg`);
    const [abandoned] = await instances();
    killed.child.kill("SIGKILL");
    await killed.ended;
    const next = author.dev();
    await next.says("to end");
    await vi.waitFor(async () => expect(await instances()).not.toContain(abandoned), { timeout: 10_000 });
    expect(await instances()).toHaveLength(1);
    next.child.kill("SIGKILL");
    up.child.kill("SIGKILL");
    await Promise.all([next.ended, up.ended]);
    await author.berg("up", ...simulated, ...ports).says("Ctrl-C stops it");
    await vi.waitFor(async () => expect(await instances()).toEqual([]), { timeout: 10_000 });
  });
});
