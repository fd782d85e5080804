/** Asks a real kubelet whether the cases are as it has them. */
import { createClient } from "@berg/kube";
import { busyboxImage, missingNode, startControlPlane, startNode } from "@berg/test";
import { describe, test } from "vitest";
import { cases, rootImage, webImage } from "./testing/cases.ts";
import { checkCases } from "./testing/check-cases.ts";

describe.skipIf(await missingNode())("a real kubelet", () => {
  test("does with these pods what the cases say", async () => {
    await using controlPlane = await startControlPlane();
    await using node = await startNode({ controlPlane });
    const httpd = ["httpd", "-f", "-p", "8080", "-h", "/bin"];
    await node.addImage(busyboxImage({ name: webImage, command: httpd }));
    await node.addImage(busyboxImage({ name: rootImage, command: ["sleep", "1000"] }));
    const client = createClient({ connection: controlPlane.connection });
    try {
      // Not all at once, on two cores.
      await checkCases(client, cases.slice(0, 10), "first");
      await checkCases(client, cases.slice(10), "second");
    } finally {
      await client.close();
    }
  }, 300_000);
});
