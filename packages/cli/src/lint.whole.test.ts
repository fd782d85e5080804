import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runLint } from "./run-lint.ts";

const main = join(import.meta.dirname, "main.ts");
const examples = join(import.meta.dirname, "../../../docs/examples");

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "berg-lint-"));
});
afterAll(() => rmSync(directory, { recursive: true }));

interface Outcome {
  status: number;
  lines: string[];
  stderr: string;
}

/** `berg lint <names>`; a file is told by its name alone. */
async function lint(names: string[], files: Record<string, string> = {}, stdin = ""): Promise<Outcome> {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  const written = { stdout: "", stderr: "" };
  const paths = names.map((name) => (name === "-" ? name : join(directory, name)));
  const status = await runLint(paths, {
    stdin: Readable.from([stdin]),
    stdout: { write: (text) => (written.stdout += text) },
    stderr: { write: (text) => (written.stderr += text) },
  });
  const short = (text: string) => text.replaceAll(`${directory}/`, "");
  return { status, lines: short(written.stdout).split("\n").slice(0, -1), stderr: short(written.stderr) };
}

/** The real command, as a process of its own. */
async function berg(args: string[], stdin = ""): Promise<Outcome> {
  return await new Promise((resolve) => {
    const child = execFile(process.execPath, [main, "lint", ...args], (error, stdout, stderr) => {
      resolve({ status: Number(error?.code ?? 0), lines: stdout.split("\n").slice(0, -1), stderr });
    });
    child.stdin?.end(stdin);
  });
}

const head = "apiVersion: berg.norelect.ch/v1\nkind: Challenge\nmetadata: {name: web}\n";
const good = `${head}spec:
  containers:
    - hostname: web
      image: web:1
      ports:
        - {port: 80, type: publicPort}
      readinessProbe: {tcpSocket: {port: 80}}
`;

describe("berg lint", () => {
  test("passes the examples", async () => {
    const { status, lines } = await berg(
      ["cookie-jar.yaml", "web-and-database.yaml"].map((name) => join(examples, name)),
    );
    expect([status, lines]).toEqual([0, ["2 Challenges: 0 errors, 0 warnings"]]);
  });

  test("says where each problem is, from top to bottom, also of what is not there", async () => {
    const bad = `${head}spec:
  containers:
    - hostname: web
      ports:
        - port: 80
          type: publicHttpRoute
        - name: admin
          port: 70000
      environment:
        A.B: [1]
`;
    expect(await lint(["bad.yaml"], { "bad.yaml": bad })).toMatchObject({
      status: 1,
      lines: [
        "bad.yaml:6:7: error: spec.containers[0].image: Required value; set it",
        "bad.yaml:11:11: error: spec.containers[0].ports[1].port: Invalid value: 70000: must be 65535 or less",
        expect.stringMatching(/^bad\.yaml:13:9: error: spec\.containers\[0\]\.environment\.A\.B: Invalid value/),
        "1 Challenge: 3 errors, 0 warnings",
      ],
    });
  });

  test("passes with warnings", async () => {
    const { status, lines } = await lint(["w.yaml"], { "w.yaml": good.replace("web:1", "web") });
    expect(status).toBe(0);
    expect(lines).toEqual([
      expect.stringMatching(/^w\.yaml:7:7: warning: spec\.containers\[0\]\.image: "web" is another image/),
      "1 Challenge: 0 errors, 1 warning",
    ]);
  });

  test("reads several documents and the standard input, and notes what it skips", async () => {
    const service = "apiVersion: v1\nkind: Service\nmetadata: {name: x}\n";
    const { status, lines } = await lint(["-"], {}, `${service}---\n${good}---\n---\n${good.replace("web:1", "Web")}`);
    expect(status).toBe(1);
    expect(lines).toEqual([
      "<stdin>:2:1: note: skipped, since it is a Service and none of Challenge, Competition, Page",
      expect.stringMatching(/^<stdin>:23:7: error: spec\.containers\[0\]\.image: "Web" is not the name of an image/),
      "2 Challenges: 1 error, 0 warnings",
    ]);
  });

  test("finds prerequisites that no file has, and those that need each other", async () => {
    const challenge = (name: string, needs: string) =>
      `${head.replace("web", name)}spec:\n  prerequisites: [${needs}]\n`;
    const files = {
      "a.yaml": `${challenge("a", "b, typo")}---\n${challenge("c", "a, d")}`,
      "b.yaml": `${challenge("b", "c")}---\n${challenge("d", "")}---\n${challenge("self", "self")}`,
    };
    const { status, lines } = await lint(["a.yaml", "b.yaml"], files);
    expect(status).toBe(1);
    const fix = "remove one of these prerequisites";
    const cycle = (way: string) => `nobody can play this: it needs itself (${way}); ${fix}`;
    expect(lines).toEqual([
      `a.yaml:5:19: error: spec.prerequisites[0]: ${cycle("a → b → c → a")}`,
      'a.yaml:5:22: warning: spec.prerequisites[1]: there is no Challenge "typo" in these files; correct the name, or check the files together',
      `a.yaml:11:19: error: spec.prerequisites[0]: ${cycle("c → a → b → c")}`,
      `b.yaml:5:19: error: spec.prerequisites[0]: ${cycle("b → c → a → b")}`,
      `b.yaml:17:19: error: spec.prerequisites[0]: ${cycle("self → self")}`,
      "5 Challenges: 4 errors, 1 warning",
    ]);
  });

  test("checks Competitions and Pages too", async () => {
    const competition = good.split("spec:")[0]?.replace("Challenge", "Competition");
    const page = good.split("spec:")[0]?.replace("Challenge", "Page");
    const end = "2026-10-02T18:00:00Z";
    const text = [
      `${competition}spec: {}\n`,
      `${competition}spec:\n  end: ${end}\n  freeze: {start: ${end}}\n`,
      `${competition}spec:\n  start: ${end}\n  end: 2026-10-01T18:00:00Z\n`,
      `${page}spec:\n  path: /rules\n  title: Rules\n  content: <script>alert(1)</script>\n`,
      `${page}spec:\n  path: /api/x\n  titel: Rules\n`,
    ].join("---\n");
    const { status, lines } = await lint(["-"], {}, text);
    expect(status).toBe(1);
    expect(lines).toEqual([
      "<stdin>:11:12: warning: spec.freeze.start: the freeze starts at 2026-10-02T18:00:00Z, when the competition has ended (2026-10-02T18:00:00Z); set it to a time between start and end",
      "<stdin>:18:3: error: spec.end: Invalid value: end must be after start",
      "<stdin>:26:3: warning: spec.content: the <script> in it is removed when the page is shown; remove it",
      "<stdin>:31:1: error: spec.title: Required value; set it",
      expect.stringMatching(/^<stdin>:32:3: error: spec\.path: Invalid value: path cannot begin with \/api/),
      "<stdin>:33:3: error: spec.titel: Forbidden: there is no such field; remove it, or correct its name",
      "3 Competitions, 2 Pages: 4 errors, 2 warnings",
    ]);
  });

  test("reads the List that kubectl prints", async () => {
    const item = `- ${good.replace("web:1", "Web").trimEnd().replaceAll("\n", "\n  ")}\n`;
    const { lines } = await lint(["-"], {}, `apiVersion: v1\nkind: List\nitems:\n${item}`);
    expect(lines).toEqual([
      expect.stringMatching(/^<stdin>:10:9: error: spec\.containers\[0\]\.image: "Web"/),
      "1 Challenge: 1 error, 0 warnings",
    ]);
  });

  test("reads YAML as kubectl does: 0444 is octal, and a time is a text", async () => {
    const text = good
      .replace("spec:", "spec:\n  displayName: 12:30\n  flag: flag{x}\n  until: 2026-10-01T18:00:00Z")
      .replace(
        "image: web:1",
        "image: web:1\n      environment: {ON: yes}\n      dynamicFlag: {content: {path: /f, mode: MODE}}",
      );
    for (const mode of ["0444", "0o444", '"0444"', "292"])
      expect((await lint(["-"], {}, text.replace("MODE", mode))).lines).toEqual(["1 Challenge: 0 errors, 0 warnings"]);
    expect((await lint(["-"], {}, text.replace("MODE", "444"))).lines[0]).toContain(
      'warning: spec.containers[0].dynamicFlag.content.mode: 444 is a decimal number and means mode 0674; write "0444"',
    );
  });

  test.for([
    ["a list that does not end", `${head}spec: {tags: [a\n`, /^x\.yaml:5:1: error: this is not YAML: /],
    [
      "a field twice",
      `${head}spec: {}\nkind: Challenge\n`,
      /^x\.yaml:5:1: error: this is not YAML: Map keys must be unique/,
    ],
    ["an alias of nothing", `${head}spec: *x\n`, /^x\.yaml:\d+:\d+: error: this is not YAML: Unresolved alias/],
  ] as const)("names the place of %s", async ([, text, want]) => {
    const { status, lines } = await lint(["x.yaml"], { "x.yaml": text });
    expect(status).toBe(1);
    expect(lines[0]).toMatch(want);
  });

  test("never shows a line of a file, which may hold a flag", async () => {
    const { lines } = await lint(["-"], {}, `${head}spec: {flag: "flag{do-not-tell}\n  x: [}\n`);
    expect(lines.join()).toContain("this is not YAML");
    expect(lines.join()).not.toContain("do-not-tell");
  });

  test.for(["", "---\n", "# nothing\n", "apiVersion: v1\nkind: Pod\n"])(
    "does not pass where there is none: %j",
    async (text) => {
      const { status, lines } = await lint(["-"], {}, text);
      expect(status).toBe(1);
      expect(lines.at(-1)).toBe("0 Challenges: 0 errors, 0 warnings");
    },
  );

  test.for(["just text", "[1, 2]", "42", "kind: [Challenge]"])("judges what is no object: %j", async (text) => {
    const { status, lines } = await lint(["-"], {}, text);
    expect(status).toBe(1);
    expect(lines[0]).toMatch(/^<stdin>:1:1: error: /);
  });

  test("names every file that it cannot read", async () => {
    const { status, stderr, lines } = await lint(["no.yaml", "", "g.yaml"], { "g.yaml": good });
    expect([status, lines]).toEqual([2, []]);
    expect(stderr).toBe(
      `error: cannot read no.yaml: there is no such file\nerror: cannot read ${directory}: it is a directory\n`,
    );
  });
});

describe("as a command", () => {
  test("it reads the standard input and tells its verdict by its exit code", async () => {
    expect(await berg(["-"], good.replace("web:1", "Web"))).toMatchObject({
      status: 1,
      lines: [expect.stringMatching(/^<stdin>:7:7: error: /), "1 Challenge: 1 error, 0 warnings"],
    });
  });

  test("exits with 2 where it was called wrongly", async () => {
    expect(await berg(["/no/such.yaml"])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("/no/such.yaml"),
    });
    expect(await berg([])).toMatchObject({ status: 2, stderr: expect.stringContaining("missing required argument") });
  }, 20_000);

  test("refuses what makes players root on the node, unless it is allowed by name", async () => {
    const capable = good.replace("image: web:1", "image: web:1\n      additionalCapabilities: [DAC_READ_SEARCH]");
    expect(await berg(["-"], capable)).toMatchObject({
      status: 1,
      lines: [expect.stringMatching(/^<stdin>:8:32: error: .*DAC_READ_SEARCH is not allowed/), expect.anything()],
    });
    const allow = (list: string) => berg(["--allow-capabilities", list, "-"], capable);
    expect(await allow("BPF,DAC_READ_SEARCH")).toMatchObject({ status: 0 });
    expect(await allow("dac")).toMatchObject({
      status: 2,
      stderr: 'error: cannot use --allow-capabilities: "dac" is not a capability of Linux such as SYS_PTRACE\n',
    });
  }, 60_000);

  test("explains itself", async () => {
    const { status, lines } = await berg(["--help"]);
    expect([status, lines.join("\n")]).toEqual([0, expect.stringContaining("berg lint [options] <file...>")]);
  });
});
