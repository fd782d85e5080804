/** Runs the commands of the guide in an empty directory, as its reader would; no engine is needed. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test, vi } from "vitest";

const berg = `"${process.execPath}" "${join(import.meta.dirname, "../packages/cli/src/main.ts")}"`;

test("the guide to write a challenge works from its first command to its last", { timeout: 120_000 }, async () => {
  const guide = await readFile(join(import.meta.dirname, "write-a-challenge.md"), "utf8");
  // Whoever reads it stands in the checkout; what they make must not be there.
  const typed = (text: string) => text.replaceAll("npm run -s berg --", berg);
  const [files = ""] = [...guide.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = ""]) => typed(block));
  const [dev = ""] = [...guide.matchAll(/^ {4}(npm run -s berg -- dev .*)$/gm)].map(([, line = ""]) => typed(line));
  const cwd = await mkdtemp(join(tmpdir(), "berg-guide-"));
  try {
    await promisify(execFile)("bash", ["-euo", "pipefail", "-c", files], { cwd });
    const child = spawn("bash", ["-c", `exec ${dev} --runtime simulated --http-port 0 --tls-port 0`], { cwd });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
    await vi.waitFor(() => expect(said).toContain("Ctrl-C"), { timeout: 60_000 });
    expect(said).toMatch(/address {2}http:\/\/\w+\.localhost:\d+\/\n/);
    expect(said).toMatch(/flag\{crumbs_[0-9a-f]{12}\}\n +in container web: the file \/srv\/[0-9a-f]{12}\.txt\n/);
    child.kill("SIGINT");
    expect(await once(child, "exit")).toEqual([0, null]);
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
});
