/**
 * Builds the image as the README says, from local files alone, and runs it as the Deployment does. In place of the
 * distroless base, which a registry would have to give, stands one of the Node that npm installed and its libraries.
 */
import { execFile, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { version } from "../packages/cli/src/version.ts";

const checkout = join(import.meta.dirname, "..");
const base = "localhost/berg-base:test";
const readme = readFileSync(join(import.meta.dirname, "README.md"), "utf8");
/** What the README has people type after `docker`, word for word. */
const buildImage = readme.match(/npm ci && docker (build .*? -t (\S+) \.)/) ?? [];
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
    const named = ["Dockerfile", "README.md", "deployment.yaml"].map((file) =>
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
    // 12 MB of sources and dependencies, and 6 MB of compiled code.
    expect((await size(image)) - (await size(base))).toBeLessThan(20_000_000);
    const list = "console.log(require('node:fs').readdirSync('/berg', { recursive: true }).join('\\n'))";
    const { stdout } = await run("--entrypoint=/nodejs/bin/node", image, "--eval", list);
    const files = stdout.trim().split("\n");
    expect(files).toContain("packages/cli/src/main.ts");
    expect(files.filter((file) => /\.test\.ts$|^(?:test|docs|tools|deploy)\b/.test(file))).toEqual([]);
    expect(new Set(files.map((file) => file.split("/")[0]))).toEqual(
      new Set([".compile-cache", "LICENSE", "node_modules", "packages"]),
    );
  });

  test("finds its code compiled, under the user and the flags that it runs with", async () => {
    // What the Deployment adds to the flags must not make the cache another one.
    const env = ["--env=NODE_DEBUG_NATIVE=COMPILE_CACHE", "--env=NODE_OPTIONS=--max-old-space-size=768"];
    const { code, stdout, stderr } = await run(...env, image, "version");
    expect(code).toBe(0);
    expect(stdout + stderr).toContain("file:///berg/packages/cli/src/program.ts was accepted");
  });
});

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
