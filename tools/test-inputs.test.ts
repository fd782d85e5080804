import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { TestInputs } from "./test-inputs.ts";

const manifest = (name: string) => JSON.stringify({ name: `@berg/${name}`, exports: { ".": "./src/index.ts" } });

/** A checkout: kube stands on machinery, cli on both and on leaf; `test/` has helpers that packages use. */
const tree: Record<string, string> = {
  "package.json": "{}",
  "package-lock.json": "{}",
  "vitest.config.ts": "",
  "README.md": "",
  ".git": "gitdir: elsewhere",
  "node_modules/x/index.js": "",
  "crds/things.yaml": "kind: CustomResourceDefinition",
  "samples/notes/challenge.yaml": "kind: Challenge",
  "docs/guide.md": "",
  "docs/examples/web.yaml": "",
  "deploy/rbac.yaml": "",
  "deploy/installed.ts": 'const here = (file: string) => join(import.meta.dirname, file); here("rbac.yaml");',
  "deploy/deploy.real.test.ts": 'import "./installed.ts";',
  "packages/machinery/package.json": manifest("machinery"),
  "packages/machinery/src/index.ts": "",
  "packages/kube/package.json": manifest("kube"),
  "packages/kube/src/index.ts": 'export * from "@berg/machinery";',
  "packages/kube/src/unused.txt": "",
  "packages/kube/src/kube.test.ts": "",
  "packages/kube/src/kube.whole.test.ts": 'import "./index.ts";',
  "packages/kube/src/kube.real.test.ts": 'import { start } from "@berg/test";\nimport "./index.ts";',
  "packages/leaf/package.json": manifest("leaf"),
  "packages/leaf/src/index.ts": "",
  "packages/healing/package.json": manifest("healing"),
  "packages/healing/src/index.ts": "const load = (name: string) => import(`./\x24{name}.ts`);",
  "packages/healing/src/loaded.ts": 'import "@berg/leaf";',
  "packages/healing/src/healing.whole.test.ts": 'import "./index.ts";',
  "packages/cli/package.json": JSON.stringify({ name: "@berg/cli" }),
  "packages/cli/src/main.ts": 'await import("@berg/leaf");\nimport "@berg/kube";\nimport "./samples.ts";',
  "packages/cli/src/samples.ts": 'join(import.meta.dirname, "../../../samples")',
  "test/package.json": JSON.stringify({ name: "@berg/test", exports: { ".": "./index.ts" } }),
  "test/index.ts": 'export * from "./plane/plane.ts";',
  "test/plane/plane.ts": "// ../../packages/leaf/src/index.ts is only mentioned\n",
  "test/plane/build.sh": "",
  "test/plane/setup.ts": "",
  "test/life/process.ts": 'spawn(node, [join(import.meta.dirname, "../../packages/cli/src/main.ts")]);',
  "test/life/life.real.test.ts": 'import "./process.ts";',
  "test/life/example.real.test.ts": "apply(`docs/examples/\x24{name}.yaml`);",
  "test/life/image.node.test.ts": 'const checkout = join(import.meta.dirname, "../..");',
  "test/life/nasty.real.test.ts": 'const names = ["../..", "..", "./", ...others];',
};

function checkout(changes: Record<string, string> = {}): string {
  const root = mkdtempSync(join(tmpdir(), "berg-inputs-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [path, content] of Object.entries({ ...tree, ...changes })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

function digest(root: string, file: string, ...setup: string[]): string {
  const inputs = new TestInputs(root);
  return inputs.digestOf(inputs.of(file, ...setup));
}

describe("the inputs of a test file", () => {
  const always = ["crds/things.yaml", "package-lock.json", "package.json", "test/package.json", "vitest.config.ts"];
  const kube = ["packages/kube/package.json", "packages/kube/src/index.ts", "packages/kube/src/unused.txt"];
  const machinery = ["packages/machinery/package.json", "packages/machinery/src/index.ts"];
  const leaf = ["packages/leaf/package.json", "packages/leaf/src/index.ts"];
  const healing = ["package.json", "src/index.ts", "src/loaded.ts"].map((path) => `packages/healing/${path}`);
  const cli = ["packages/cli/package.json", "packages/cli/src/main.ts", "packages/cli/src/samples.ts"];
  const life = ["test/life/process.ts"];
  const cases: Record<string, { file: string; want: string[] }> = {
    "are its package and what that depends on, without other tests": {
      file: "packages/kube/src/kube.whole.test.ts",
      want: [...kube, ...machinery],
    },
    "are what a source of its package imports, though no import leads there": {
      file: "packages/healing/src/healing.whole.test.ts",
      want: [...healing, ...leaf],
    },
    "are the folders of test/ that it uses": {
      file: "packages/kube/src/kube.real.test.ts",
      want: [
        ...kube,
        ...machinery,
        "test/index.ts",
        "test/plane/plane.ts",
        "test/plane/build.sh",
        "test/plane/setup.ts",
      ],
    },
    "are the sources of a program that it starts, and what those read": {
      file: "test/life/life.real.test.ts",
      want: [...life, ...cli, ...kube, ...machinery, ...leaf, "samples/notes/challenge.yaml"],
    },
    "are the files beside a source file outside of packages": {
      file: "deploy/deploy.real.test.ts",
      want: ["deploy/installed.ts", "deploy/rbac.yaml"],
    },
    "are all files of a folder where a name is put together": {
      file: "test/life/example.real.test.ts",
      want: [...life, "docs/examples/web.yaml"],
    },
    "are not what dots in a text would name": { file: "test/life/nasty.real.test.ts", want: life },
  };
  for (const [name, { file, want }] of Object.entries(cases)) {
    test(name, () => expect(new TestInputs(checkout()).of(file)).toEqual([...always, ...want, file].sort()));
  }

  test("are all files where it names the root, except other tests and what is installed", () => {
    const file = "test/life/image.node.test.ts";
    const want = Object.keys(tree).filter(
      (path) => path === file || !(path.endsWith(".test.ts") || /^(?:\.git|node_modules)/.test(path)),
    );
    expect(new TestInputs(checkout()).of(file)).toEqual(want.sort());
  });

  test("include what the suite runs first", () => {
    const file = "packages/kube/src/kube.whole.test.ts";
    expect(new TestInputs(checkout()).of(file, "test/plane/setup.ts")).toContain("test/plane/build.sh");
  });
});

describe("the digest of the inputs", () => {
  const file = "packages/kube/src/kube.whole.test.ts";
  const unchanged = () => digest(checkout(), file);

  test("is the same for the same content elsewhere", () => expect(digest(checkout(), file)).toBe(unchanged()));

  for (const path of [
    "packages/machinery/src/index.ts",
    "packages/kube/src/unused.txt",
    "packages/kube/src/new.ts",
    "package-lock.json",
    "crds/things.yaml",
    file,
  ])
    test(`changes with ${path}`, () =>
      expect(digest(checkout({ [path]: `${tree[path] ?? ""} ` }), file)).not.toBe(unchanged()));

  for (const path of [
    "packages/leaf/src/index.ts",
    "packages/kube/src/kube.test.ts",
    "README.md",
    "test/plane/plane.ts",
  ])
    test(`does not change with ${path}`, () => expect(digest(checkout({ [path]: "changed" }), file)).toBe(unchanged()));

  test("changes where a file becomes executable, or a link", () => {
    const root = checkout();
    chmodSync(join(root, "packages/kube/src/unused.txt"), 0o755);
    expect(digest(root, file)).not.toBe(unchanged());
    rmSync(join(root, "packages/kube/src/unused.txt"));
    symlinkSync("index.ts", join(root, "packages/kube/src/unused.txt"));
    expect(digest(root, file)).not.toBe(unchanged());
  });
});
