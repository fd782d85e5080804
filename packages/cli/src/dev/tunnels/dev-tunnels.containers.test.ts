import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connectEngine } from "@berg/local-engine";
import { imageArchive } from "@berg/local-node";
import { busyboxImage, missingPodman, startPodman, type TestPodman } from "@berg/test";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestAuthor, webChallenge } from "../testing/author.ts";

const base = "berg.test/dev-base:1";
const askingScript = `httpd -p 8080
while sleep 1; do
  echo "asked $HOST_SITE_ENDPOINT: $(wget -q -O - http://$HOST_SITE_ENDPOINT/ 2>&1)"
done
`;
/** The program of the proxy is made, and its image. */
const openWithinMs = 120_000;

describe.skipIf(missingPodman())("berg dev --tunnel on Podman", () => {
  let podman: TestPodman;
  let author: TestAuthor;
  const server = createServer((_, response) => response.end("hello from the host\n"));
  beforeAll(async () => {
    podman = await startPodman();
    await connectEngine(podman.socket).loadImage(imageArchive(busyboxImage({ name: base })));
    author = await TestAuthor.create({ CONTAINER_HOST: `unix://${podman.socket}`, DOCKER_HOST: "" });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterAll(async () => {
    server.close();
    await author?.[Symbol.asyncDispose]();
    await podman?.stop();
  });

  test("a container finds the server in its environment, reaches it, and the tunnel goes with the instance", {
    timeout: 170_000,
  }, async () => {
    const { port } = server.address() as AddressInfo;
    await author.write({
      "challenge.yaml": webChallenge(),
      "web/Dockerfile": `FROM ${base}\nCOPY ask.sh /\nCMD ["sh", "/ask.sh"]\n`,
      "web/ask.sh": askingScript,
    });
    const dev = author.dev("--runtime", "podman", "--tunnel", `host-site=127.0.0.1:${port}`);
    await dev.says(`The tunnel host-site is open: host-site:${port} in the containers is`, openWithinMs);
    await dev.says(`web | asked host-site:${port}: hello from the host`);

    dev.child.kill("SIGINT");
    expect(await dev.ended).toEqual([0, null]);
    const engine = connectEngine(podman.socket);
    expect(await engine.listContainers({})).toEqual([]);
    expect((await engine.listNetworks({})).filter(({ name }) => name !== "podman")).toEqual([]);
  });
});
