/** The commands as processes: arguments, exit codes, Ctrl-C and pipes. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createClient, Namespaces } from "@berg/kube";
import { startLocalControlPlane } from "@berg/local-control-plane";
import { Challenges, customResourceDefinitions } from "@berg/resources";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { CustomResourceDefinitions, untilServed } from "../../../../test/scenarios/crds.ts";
import { CommandLine } from "./testing/command-line.ts";

const main = join(import.meta.dirname, "../main.ts");
const stack = new AsyncDisposableStack();
let commands: CommandLine;

beforeAll(async () => {
  const { apiServer } = stack.use(await startLocalControlPlane({ dataDir: ":memory:" }));
  commands = stack.use(await CommandLine.for(apiServer.connection));
  const client = createClient({ connection: apiServer.connection });
  stack.defer(() => client.close());
  for (const definition of customResourceDefinitions()) {
    await client.create(CustomResourceDefinitions, definition);
    await untilServed(client, definition);
  }
  await client.create(Namespaces, { metadata: { name: "berg" } });
  const spec = { containers: [{ hostname: "web", image: "web:1" }] };
  await client.create(Challenges, { metadata: { namespace: "berg", name: "web" }, spec: spec as never });
}, 60_000);
afterAll(() => stack.disposeAsync());

function berg(env: Record<string, string>, ...args: string[]) {
  const { PATH = "" } = process.env;
  const child = spawn(process.execPath, [main, "instance", ...args], {
    env: { PATH, HOME: "/nowhere", KUBECONFIG: commands.kubeconfig, ...env },
  });
  stack.defer(() => void child.kill("SIGKILL"));
  const said = { stdout: "", stderr: "" };
  child.stdout.on("data", (text) => (said.stdout += text));
  child.stderr.on("data", (text) => (said.stderr += text));
  return { child, said, ended: endOf(child) };
}

async function endOf(child: ChildProcess): Promise<number | null> {
  return (await once(child, "close"))[0];
}

describe("berg instance", { timeout: 60_000 }, () => {
  test("Ctrl-C ends the wait and not the instance; how to go on is said as it was typed", async () => {
    const { child, said, ended } = berg({ npm_lifecycle_event: "berg" }, "start", "web");
    await vi.waitFor(() => expect(said.stderr).toContain("Asked for."), { timeout: 30_000 });
    child.kill("SIGINT");
    expect(await ended).toBe(1);
    const name = said.stdout.split(":")[0];
    expect(said.stderr).toContain(`To end it: npm run -s berg -- instance stop ${name}\n`);

    const list = berg({}, "list", "--json");
    expect(await list.ended).toBe(0);
    expect(JSON.parse(list.said.stdout).instances).toMatchObject([{ name, ending: false }]);
    const stop = berg({}, "stop", "--all", "--yes");
    expect([await stop.ended, stop.said.stdout]).toEqual([0, `${name} is gone.\n`]);
  });

  test("whoever reads no further has enough", async () => {
    const { child, said, ended } = berg({}, "list", "--json", "--watch");
    child.stdout.destroy();
    const start = berg({}, "start", "web", "--no-wait");
    expect(await start.ended).toBe(0);
    expect(await ended).toBe(0);
    expect(said.stderr).toBe("");
  });

  test.each([
    { args: ["begin"], want: "unknown command 'begin'" },
    { args: ["list", "-o", "narrow"], want: "Allowed choices are wide" },
    { args: ["stop"], want: "name the instances to stop, or say --all" },
  ])("$args is told apart from what goes wrong", async ({ args, want }) => {
    const { said, ended } = berg({}, ...args);
    expect(await ended).toBe(2);
    expect(said.stderr).toContain(want);
    expect(said.stdout).toBe("");
  });
});
