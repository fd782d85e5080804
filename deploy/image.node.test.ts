/**
 * Builds the image with the command of the README, from local files alone, and runs it as the Deployments do. The distroless
 * base would have to be pulled from a registry: a base with the Node that npm installed and its libraries replaces it.
 */
import { execFile, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { parseAllDocuments } from "yaml";
import { version } from "../packages/cli/src/version.ts";
import { buildPages } from "../packages/web/build/build-pages.ts";

const checkout = join(import.meta.dirname, "..");
const base = "localhost/berg-base:test";
const readme = readFileSync(join(import.meta.dirname, "README.md"), "utf8");
/** The arguments of `docker` in the README. `npm run pages` is buildPages. */
const buildImage = readme.match(/npm ci && npm run pages && docker (build .*? -t (\S+) \.)/) ?? [];
const image = `localhost/${buildImage[2]}`;
const hardened = ["--rm", "--network=none", "--read-only", "--read-only-tmpfs=false", "--cap-drop=ALL"];

/** On the development machines: apt-get install podman runc. */
function missingPodman(): string | undefined {
  const lacking = ["podman", "runc"].filter((name) => spawnSync(name, ["--version"]).status !== 0);
  return lacking.length === 0 ? undefined : `there is no ${lacking.join(" and no ")} to build an image with`;
}
const missing = missingPodman();
if (missing) process.stderr.write(`skipping the image: ${missing}\n`);

describe.skipIf(missing)("the image", () => {
  let directory: string;

  async function podman(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const storage = [`--root=${join(directory, "root")}`, `--runroot=${join(directory, "runroot")}`];
    const env = { ...process.env, CONTAINERS_CONF: join(directory, "containers.conf") };
    return promisify(execFile)("podman", [...storage, ...args], { env, cwd: checkout }).then(
      (output) => ({ code: 0, ...output }),
      (error) => error,
    );
  }

  async function build(...args: string[]): Promise<void> {
    const { code, stderr } = await podman("build", ...args);
    if (code !== 0) throw new Error(`podman build ended with ${code}: ${stderr}`);
  }

  const run = (...args: string[]) => podman("run", ...hardened, "--security-opt=no-new-privileges", ...args);

  beforeAll(async () => {
    await buildPages();
    directory = await mkdtemp(join(tmpdir(), "berg-image-"));
    await writeFile(join(directory, "containers.conf"), containersConf);
    await localBase(join(directory, "base"));
    await writeFile(join(directory, "Containerfile"), "FROM scratch\nCOPY . /\nUSER 65532:65532\n");
    await build(`--tag=${base}`, `--file=${join(directory, "Containerfile")}`, join(directory, "base"));
    const [command = "", ...args] = (buildImage[1] ?? "").split(" ");
    expect(command).toBe("build");
    await build(`--build-arg=BASE=${base}`, ...args);
  });

  afterAll(async () => {
    await podman("rmi", "--all", "--force");
    await rm(directory, { recursive: true, force: true });
  });

  test("is called the same wherever it is named", () => {
    const named = ["Dockerfile", "README.md", "deployment.yaml", "api/deployment.yaml"].map((file) =>
      readFileSync(join(import.meta.dirname, file), "utf8").match(/\bberg:\d+\.\d+\.\d+/g),
    );
    expect(new Set(named.flat())).toEqual(new Set([`berg:${version}`]));
  });

  test("runs as nobody special, on a read-only root and without any capability", async () => {
    expect(await run(image, "version")).toMatchObject({ code: 0, stdout: `${version}\n` });
    const script = "console.log(process.getuid(), process.getgid(), process.version)";
    const { stdout } = await run("--entrypoint=/nodejs/bin/node", image, "--eval", script);
    expect(stdout).toMatch(/^65532 65532 v24\./);
  });

  test("runs the controller unless told otherwise, which names every mistake in its settings", async () => {
    const { code, stderr } = await run("--env=CHALLENGE_HTTP_PORT=eighty", "--env=LOG_LEVEL=loud", image);
    expect(stderr).toBe(
      'cannot read CHALLENGE_HTTP_PORT: "eighty" is not a port (1-65535)\n' +
        'cannot read LOG_LEVEL: "loud" is none of debug, info, warn, error\n',
    );
    expect(code).toBe(2);
  });

  test("adds to its base little more than the sources of berg and their compiled code", async () => {
    const size = async (name: string) =>
      Number((await podman("inspect", "--format={{.Size}}", "--type=image", name)).stdout);
    // 16 MB of sources, dependencies and pages, and 17 MB of compiled code, with V8's flags and without: sign-in at
    // providers, mail and the competition added 5 MB to it.
    expect((await size(image)) - (await size(base))).toBeLessThan(36_000_000);
    const list = "console.log(require('node:fs').readdirSync('/berg', { recursive: true }).join('\\n'))";
    const { stdout } = await run("--entrypoint=/nodejs/bin/node", image, "--eval", list);
    const files = stdout.trim().split("\n");
    expect(files).toContain("packages/cli/src/main.ts");
    expect(files.filter((file) => /\.test\.ts$|^(?:test|docs|tools|deploy)\b/.test(file))).toEqual([]);
    expect(new Set(files.map((file) => file.split("/")[0]))).toEqual(
      new Set([".compile-cache", "LICENSE", "bin", "node_modules", "packages", "pages"]),
    );
  });

  test.each([
    ["with the flags of the ENTRYPOINT", []],
    ["without them, as the API runs", ["--entrypoint=berg"]],
  ])("finds its code compiled, %s", async (_, entrypoint) => {
    // What the Deployment adds to NODE_OPTIONS must not make the cache another one.
    const env = ["--env=NODE_DEBUG_NATIVE=COMPILE_CACHE", "--env=NODE_OPTIONS=--max-old-space-size=768"];
    const { code, stdout, stderr } = await run(...env, ...entrypoint, image, "version");
    expect(code).toBe(0);
    expect(stdout + stderr).toContain("file:///berg/packages/cli/src/program.ts was accepted");
  });

  describe("runs the API", () => {
    const name = "berg-api-test";
    const host = "ctf.example.com";
    const inside = (script: string) => podman("exec", name, "/nodejs/bin/node", "--eval", script);
    /** Status, type and body, as text. Node's fetch does not let one choose the Host. */
    const get = (port: number, path: string) =>
      inside(`require("node:http").get({ port: ${port}, path: "${path}", headers: { host: "${host}" } }, async (response) => {
        console.log(response.statusCode, response.headers["content-type"]);
        for await (const piece of response.setEncoding("utf8")) process.stdout.write(piece);
      })`);

    beforeAll(async () => {
      const [, deployment] = parseAllDocuments(readFileSync(join(import.meta.dirname, "api/deployment.yaml"), "utf8"));
      const [container] = deployment?.toJS().spec.template.spec.containers ?? [];
      const [entrypoint, ...more] = container.command;
      // There is no cluster and no database here: it serves the pages and says what is missing.
      await writeFile(join(directory, "kubeconfig"), unreachableCluster, { mode: 0o644 });
      const { code, stderr } = await run(
        ...["--detach", `--name=${name}`, `--entrypoint=${entrypoint}`, "--tmpfs=/tmp", "--tmpfs=/data:mode=0777"],
        ...[`--env=PUBLIC_URL=https://${host}`, "--env=KUBECONFIG=/kubeconfig"],
        ...[`--volume=${join(directory, "kubeconfig")}:/kubeconfig:ro`],
        ...[image, ...more, ...container.args, "--data-dir=/data"],
      );
      expect([code, stderr]).toEqual([0, ""]);
      const isServing = async () => expect((await get(8085, "/healthz")).stdout).toMatch(/^200 /);
      await vi.waitFor(isServing, { timeout: 60_000, interval: 500 });
    });
    afterAll(() => podman("rm", "--force", "--time=0", name));

    test("with the pages, and without Vite", async () => {
      const { stdout } = await get(8080, "/challenges");
      expect(stdout).toMatch(/^200 text\/html/);
      const [script = ""] = stdout.match(/\/assets\/index-[^"]+\.js/) ?? [];
      expect((await get(8080, script)).stdout).toMatch(/^200 (?:text|application)\/javascript/);
    });

    test("with its documentation and its metrics", async () => {
      expect((await get(8080, "/api/docs")).stdout).toMatch(/^200 text\/html/);
      expect((await get(8086, "/metrics")).stdout).toContain("berg_api_database_up 1");
      expect((await get(8085, "/readyz")).stdout).toContain("[-]kubernetes failed");
    });

    test("and `berg admin` beside it, for kubectl exec", async () => {
      const { stdout } = await podman("exec", name, "berg", "admin", "link", "--data-dir=/data");
      expect(stdout).toMatch(/^https:\/\/ctf\.example\.com\/sign-in#\S+\n$/);
    });

    test("only without the flag of the ENTRYPOINT, and says so", async () => {
      const { code, stderr } = await run(image, "api");
      expect([code, stderr]).toEqual([2, expect.stringContaining("Run it as `berg api`")]);
    });
  });
});

const unreachableCluster = `
apiVersion: v1
kind: Config
current-context: none
contexts: [{ name: none, context: { cluster: none, user: none } }]
clusters: [{ name: none, cluster: { server: "https://127.0.0.1:1" } }]
users: [{ name: none, user: { token: none } }]
`;

// What a machine without systemd and with few rights needs of podman.
const containersConf = `
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]
`;

/** A root with this Node at its place, and the libraries that it is linked with. */
async function localBase(root: string): Promise<void> {
  const linked = spawnSync("ldd", [process.execPath], { encoding: "utf8" }).stdout.match(/\/\S+/g) ?? [];
  const files = [[process.execPath, "/nodejs/bin/node"], ...linked.map((library) => [library, library])];
  for (const [from = "", to = ""] of files) {
    await mkdir(dirname(join(root, to)), { recursive: true });
    await cp(from, join(root, to), { dereference: true });
  }
}
