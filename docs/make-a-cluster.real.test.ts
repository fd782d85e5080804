/**
 * Runs the commands of the guide as its reader would, in their order, with the real kubectl, and holds what the guide says
 * that they print to what they print. `npx vitest run docs/make-a-cluster.real.test.ts --project real -u` writes it.
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  fillPool,
  missingControlPlane,
  plainPool,
  provideBinaries,
  startControlPlane,
  startGarden,
  startGardenlet,
} from "@berg/test";
import { describe, expect, test, vi } from "vitest";

const checkout = join(import.meta.dirname, "..");
const page = join(import.meta.dirname, "make-a-cluster.md");

/** Two outputs are the same where they differ in what is never the same: times, ages, derived names, widths of columns. */
function alike(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replaceAll(/\b(\d+m)?\d+s\b/g, "AGE")
    .replaceAll(/\bc-[a-z0-9]{8}\b/g, "SHOOT")
    .replaceAll(/127\.0\.0\.1:\d+/g, "ADDRESS")
    .replaceAll(/[0-9a-f]{16}/g, "HASH")
    .replaceAll(/ {2,}/g, " ");
}

describe.skipIf(await missingControlPlane())("the guide to make a cluster", () => {
  test("works from its first command to its last, and prints what it says", { timeout: 300_000 }, async () => {
    await using undo = new AsyncDisposableStack();
    const directory = await mkdtemp(join(tmpdir(), "berg-guide-"));
    undo.defer(() => rm(directory, { recursive: true, force: true }));
    for (const folder of ["crds", "docs"]) await symlink(join(checkout, folder), join(directory, folder));
    const garden = undo.use(await startGarden({ project: "ctf", targets: 1 }));
    undo.use(await startGardenlet(garden));
    await fillPool(garden, plainPool("aws", 2));
    const controlPlane = undo.use(await startControlPlane({ controllerManager: false, scheduler: false }));
    const env = {
      ...process.env,
      KUBECONFIG: controlPlane.kubeconfig,
      GARDEN_KUBECONFIG: garden.kubeconfig,
      PATH: `${await provideBinaries()}:${process.env.PATH}`,
    };
    const run = async (script: string) => {
      const shell = ["-euo", "pipefail", "-c", `exec 2>&1\n${script}`];
      const ran = promisify(execFile)("bash", shell, { cwd: directory, env });
      return ran.then(
        ({ stdout }) => stdout.replaceAll(/ +$/gm, ""),
        ({ stdout }) => expect.fail(`${script}${stdout}`),
      );
    };
    await run("kubectl apply --server-side -k crds/clusters && kubectl create namespace clusters");
    await run("kubectl wait --for=condition=Established crd --all");

    const settings = { GARDEN_PROJECT: "ctf", HEALTH_PORT: "0", METRICS_PORT: "0" };
    const main = join(checkout, "packages/cli/src/main.ts");
    const operators = spawn(process.execPath, [main, "clusters", "--garden-kubeconfig", garden.kubeconfig], {
      env: { ...env, ...settings },
    });
    undo.defer(async () => {
      operators.kill("SIGTERM");
      await once(operators, "exit");
    });
    let log = "";
    for (const stream of [operators.stdout, operators.stderr]) stream.on("data", (text) => (log += text));
    await vi.waitFor(() => expect(log).toContain('"leading"'), { timeout: 60_000 });

    const written = await readFile(page, "utf8");
    let seen = written;
    for (const [block, commands = "", said = ""] of written.matchAll(/^```sh\n(.*?)^```\n\n```text\n(.*?)^```/gms)) {
      const output = await run(commands);
      if (alike(output) !== alike(said))
        seen = seen.replace(block, () => `\`\`\`sh\n${commands}\`\`\`\n\n\`\`\`text\n${output}\`\`\``);
    }
    await expect(seen).toMatchFileSnapshot(page);
    expect(log).not.toContain('"level":"error"');
  });
});
