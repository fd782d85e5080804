/** `berg tunnel` in the image of the controller, which has no tunnels. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { copyTree } from "../../../../tools/image-tree.ts";

test("says in plain words that it is not there, and ends with 2", { timeout: 120_000 }, async () => {
  const tree = await mkdtemp(join(tmpdir(), "berg-image-"));
  try {
    copyTree(join(import.meta.dirname, "../../../.."), tree);
    const child = spawn(process.execPath, [join(tree, "packages/cli/src/main.ts"), "tunnel"]);
    let said = "";
    child.stderr.on("data", (text) => {
      said += text;
    });
    expect(await once(child, "close")).toEqual([2, null]);
    expect(said).toMatch(
      /^this Berg cannot make tunnels: its image has no part that does\. .* from a checkout there\n$/,
    );
  } finally {
    await rm(tree, { recursive: true, force: true });
  }
});
