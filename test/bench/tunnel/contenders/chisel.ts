/**
 * chisel, with its encryption, as it comes: its server where our client proxy is, its client on the host, which dials in
 * and lends its server a port. Built once from Go modules, whose versions stand in chisel/go.mod.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../../../control-plane/ports.ts";
import type { Contender, Site } from "../contender.ts";
import { Program } from "./program.ts";

const recipe = join(import.meta.dirname, "chisel");
const host = "127.0.0.1";

export async function startChisel(server: Site): Promise<Contender> {
  const binary = await provideChisel();
  await using parts = new AsyncDisposableStack();
  const [control, port] = [await freePort(), await freePort()];
  const near = parts.use(new Program(binary, ["server", "--reverse", `--host=${host}`, `--port=${control}`]));
  await near.listensOn({ host, port: control });
  const remote = `R:${host}:${port}:${server.host}:${server.port}`;
  const far = parts.use(new Program(binary, ["client", `http://${host}:${control}`, remote]));
  await far.listensOn({ host, port });
  const running = parts.move();
  return {
    site: { host, port },
    pids: [near.pid, far.pid],
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function provideChisel(): Promise<string> {
  const hash = createHash("sha256");
  for (const file of ["go.mod", "go.sum"]) hash.update(await readFile(join(recipe, file)));
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "berg", "chisel");
  const program = join(cache, hash.digest("hex").slice(0, 16), "chisel");
  if (!existsSync(program)) await build(program);
  return program;
}

/** Renamed into place when it is whole, so that an interrupted build is not taken for a finished one. */
async function build(program: string): Promise<void> {
  await mkdir(dirname(program), { recursive: true });
  const directory = await mkdtemp(`${program}-`);
  try {
    const made = join(directory, "chisel");
    const flags = ["-mod=readonly", "-buildvcs=false", "-trimpath", "-ldflags=-s -w"];
    await promisify(execFile)("go", ["build", ...flags, "-o", made, "github.com/jpillora/chisel"], {
      cwd: recipe,
      env: { ...process.env, CGO_ENABLED: "0" },
    });
    await rename(made, program);
  } catch (cause) {
    throw new Error("cannot build chisel, which the tunnel is measured beside: it takes Go and its modules", { cause });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
