/** Runs the commands of the guide as its reader would, in their order, with the real kubectl. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { missingControlPlane, provideBinaries } from "@berg/test";
import { describe, expect, test, vi } from "vitest";

const checkout = join(import.meta.dirname, "..");

/** What stands between ```sh and ```, one block after the other. */
function blocksOf(guide: string): string[] {
  return [...guide.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = ""]) => block);
}

describe.skipIf(await missingControlPlane())("the guide to try an instance", () => {
  test("works from its first command to its last", { timeout: 180_000 }, async () => {
    const directory = await mkdtemp(join(tmpdir(), "berg-guide-"));
    const ports = ["--port", "0", "--http-port", "0", "--tls-port", "0", "--web-port", "0"];
    const options = ["--data-dir", directory, "--runtime", "simulated", ...ports];
    const up = spawn(process.execPath, [join(checkout, "packages/cli/src/main.ts"), "up", ...options]);
    let upSaid = "";
    for (const stream of [up.stdout, up.stderr]) stream.on("data", (text) => (upSaid += text));
    const env = {
      ...process.env,
      KUBECONFIG: join(directory, "kubeconfig"),
      PATH: `${await provideBinaries()}:${process.env.PATH}`,
    };
    const run = async (script: string) =>
      (await promisify(execFile)("bash", ["-euo", "pipefail", "-c", script], { cwd: checkout, env })).stdout;
    try {
      await vi.waitFor(() => expect(upSaid).toContain("Ctrl-C stops it"), { timeout: 60_000 });
      const said: string[] = [];
      for (const block of blocksOf(await readFile(join(import.meta.dirname, "try-an-instance.md"), "utf8"))) {
        // A reader takes a moment. What is renewed in the second in which it began gains nothing, and is told so.
        await delay(1100);
        said.push(await run(block));
      }
      const [withoutKubectl = "", , shown = "", renewal = ""] = said;
      expect(withoutKubectl).toMatch(/flag {2,}flag\{dots_and_slashes_[0-9a-f]{12}\}/);
      expect(withoutKubectl).toMatch(/notes-[0-9a-f]{6} is gone\.\n$/);
      expect(shown).toContain('"protocol":"TCP"');
      expect(shown).toContain("deployment.apps/notes");
      expect(shown).toContain("InstanceReady");
      expect(renewal).toContain("Renewed (1 of 3)");
      expect(await run("kubectl get namespaces -o name")).not.toContain("challenge-");
    } finally {
      up.kill("SIGINT");
      await once(up, "exit");
      await rm(directory, { recursive: true, force: true });
    }
  });
});
