import { connectEngine } from "@berg/local-engine";
import { imageArchive } from "@berg/local-node";
import { busyboxImage, missingPodman, startPodman, type TestPodman } from "@berg/test";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestAuthor, webChallenge } from "./testing/author.ts";

const base = "berg.test/dev-base:1";
const dockerfile = (script: string) => `FROM ${base}\nCOPY index.html /srv/\nCMD ["sh", "-c", "${script}"]\n`;
const serving = dockerfile("echo serving $FLAG; exec httpd -f -p 8080 -h /srv");

describe.skipIf(missingPodman())("berg dev on Podman", () => {
  let podman: TestPodman;
  let author: TestAuthor;
  beforeAll(async () => {
    podman = await startPodman();
    await connectEngine(podman.socket).loadImage(imageArchive(busyboxImage({ name: base })));
    author = await TestAuthor.create({ CONTAINER_HOST: `unix://${podman.socket}`, DOCKER_HOST: "" });
  });
  afterAll(async () => {
    await author?.[Symbol.asyncDispose]();
    await podman?.stop();
  });

  test("builds, runs, logs, follows edits of files, tells of crashes, and leaves nothing", {
    timeout: 150_000,
  }, async () => {
    await author.write({
      "challenge.yaml": webChallenge(),
      "web/Dockerfile": serving,
      "web/index.html": "first page\n",
    });
    const dev = author.dev("--runtime", "podman");
    await dev.says("to end");
    expect(dev.said).toMatch(/Building berg\.test\/dev-page:1 from .*\/web\n {2}STEP 1\/3: FROM berg/);
    expect(dev.said).toMatch(/flag {5}(flag\{page_[0-9a-f]{12}\})\n +in container web: the environment variable FLAG/);
    await dev.says(/web \| serving flag\{page_[0-9a-f]{12}\}\n/);
    expect(await dev.page()).toBe("first page\n");

    dev.forget();
    await author.write({ "web/index.html": "second page\n" });
    await dev.says("to end");
    expect(dev.said).toContain("Changed: index.html (berg.test/dev-page:1)");
    expect(await dev.page()).toBe("second page\n");

    dev.forget();
    await author.write({ "web/Dockerfile": `FROM ${base}\nFRY eggs\n` });
    await dev.says("The instance goes on as it was");
    expect(dev.said).toMatch(/cannot build image .*FRY/i);

    dev.forget();
    await author.write({ "web/Dockerfile": dockerfile("echo oh no; exit 3") });
    await dev.says("Container web: it ends by itself (exit code 3)");
    await dev.says("web | oh no\n");

    dev.forget();
    dev.child.kill("SIGINT");
    expect(await dev.ended).toEqual([0, null]);
    const engine = connectEngine(podman.socket);
    expect(await engine.listContainers({})).toEqual([]);
    expect((await engine.listNetworks({})).filter(({ name }) => name !== "podman")).toEqual([]);
  });
});
