import { execFileSync, spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { builtinModules } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { bundle, checkFlag } from "./bundle.ts";

// Other programs are started, and 100 MB copied, on a machine that may have much else to do.
vi.setConfig({ testTimeout: 180_000 });

const standIn = fileURLToPath(new URL("./testing/stand-in.ts", import.meta.url));
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "berg-bundle-"));
});
afterAll(() => rm(directory, { recursive: true }));

async function write(name: string, text: string): Promise<string> {
  const file = join(directory, name);
  await writeFile(file, text);
  return file;
}

test("a program and what it imports become one file that Node runs by itself", async () => {
  const code = await bundle(standIn);
  const file = await write("alone.cjs", code);
  const said = execFileSync(process.execPath, [file, "one", "--end"], { encoding: "utf8" });
  expect(JSON.parse(said)).toEqual({ arguments: ["one", "--end"], text: "packed" });
  const required = [...code.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name = ""]) => name);
  expect(required.filter((name) => !builtinModules.includes(name.replace("node:", "")))).toEqual([]);
});

test("the same sources give the same text", async () => {
  expect(await bundle(standIn)).toBe(await bundle(standIn));
});

test("the check ends before the program begins", async () => {
  const file = await write("checked.cjs", await bundle(standIn));
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, checkFlag], { encoding: "utf8" });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "", stderr: "" });
});

test("the client proxy can be bundled, and its check passes", async () => {
  const code = await bundle(join(import.meta.dirname, "../client-proxy/main.ts"));
  const file = await write("client-proxy.cjs", code);
  expect(spawnSync(process.execPath, [file, checkFlag]).status).toBe(0);
});

test.each([
  { what: "a file that is not there", text: `import "./nowhere.ts";`, want: /nowhere\.ts/ },
  {
    what: "a package that is not there",
    text: `import x from "no-such-package"; console.log(x);`,
    want: /no-such-package/,
  },
  { what: "what is no program", text: "const = ;", want: /odd\.ts/ },
])("$what is told with the file's name", async ({ text, want }) => {
  const file = await write("odd.ts", text);
  await expect(bundle(file)).rejects.toThrow(`cannot bundle ${file}: `);
  await expect(bundle(file)).rejects.toThrow(want);
});
