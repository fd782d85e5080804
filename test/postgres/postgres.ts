/**
 * A real PostgreSQL for tests, in a directory of its own, on a free port of 127.0.0.1, with a password. It can be
 * stopped, killed and started again on the same data; it is gone when the test is.
 *
 *     await using postgres = await startPostgres();
 *     const url = await postgres.newDatabase();
 */
import { execFile } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { chown, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { Component, type ControlledProcess } from "../control-plane/component.ts";
import { type Keeper, startKeeper } from "../control-plane/keeper.ts";
import { isRunning } from "../control-plane/process-state.ts";
import { findPostgres, missingPostgres } from "./missing.ts";

const run = promisify(execFile);

const user = "berg";

export interface TestPostgres extends ControlledProcess, AsyncDisposable {
  readonly port: number;
  readonly password: string;
  /** The URL of a database that is empty yet, or of the one with this name. */
  newDatabase(name?: string): Promise<string>;
  url(database: string): string;
  /** Runs one command as the database's owner, and returns what it prints. */
  query(database: string, sql: string): Promise<string>;
}

export interface PostgresOptions {
  /** Its data is in a directory below this one; that of the system's temporary files unless told. */
  parent?: string;
}

export async function startPostgres({ parent = tmpdir() }: PostgresOptions = {}): Promise<TestPostgres> {
  const binaries = findPostgres();
  if (!binaries) throw new Error(missingPostgres());
  const directory = await mkdtemp(join(parent, "berg-postgres-"));
  const data = join(directory, "data");
  // A server that was killed leaves the mark of its shared memory in the kernel; the next start or this removes it.
  const cleanUp = `id=$(sed -n 7p '${data}/postmaster.pid' | cut -c11-) && ipcrm -m $id`;
  const keeper = startKeeper(directory, cleanUp);
  try {
    const server = new Server(binaries, directory, keeper);
    await server.prepare();
    await server.start();
    return server;
  } catch (error) {
    await keeper.close();
    throw error;
  }
}

/** PostgreSQL refuses to run as root. */
const nobody = 65534;
const isRoot = () => process.getuid?.() === 0;
const asNobody = () =>
  isRoot() ? ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups", "--"] : ["env", "--"];

class Server extends Component implements TestPostgres {
  readonly password = randomBytes(12).toString("hex");
  readonly #binaries: string;
  readonly #directory: string;
  readonly #data: string;
  readonly #keeper: Keeper;

  constructor(binaries: string, directory: string, keeper: Keeper) {
    const data = join(directory, "data");
    const [binary = "", ...flags] = [...asNobody(), join(binaries, "postgres")];
    super({
      name: "postgres",
      binary,
      logFile: join(directory, "postgres.log"),
      keeper,
      flags: (port) => [
        ...flags,
        "-D",
        data,
        ...["-p", String(port), "-k", directory, "-h", "127.0.0.1"],
        // A killed process loses nothing by it, only a lost machine would.
        ...["-c", "fsync=off", "-c", "shared_buffers=16MB", "-c", "max_connections=60"],
      ],
      isReady: async (port, signal) => {
        await run(join(binaries, "pg_isready"), ["-h", "127.0.0.1", "-p", String(port)], { signal });
        return true;
      },
    });
    this.#binaries = binaries;
    this.#directory = directory;
    this.#data = data;
    this.#keeper = keeper;
  }

  async prepare(): Promise<void> {
    const passwordFile = join(this.#directory, "password");
    await writeFile(passwordFile, this.password, { mode: 0o600 });
    if (isRoot()) for (const path of [this.#directory, passwordFile]) await chown(path, nobody, nobody);
    const [command = "", ...flags] = [...asNobody(), join(this.#binaries, "initdb")];
    const how = ["--auth=scram-sha-256", `--username=${user}`, `--pwfile=${passwordFile}`, "--no-sync", "--locale=C"];
    await run(command, [...flags, "-D", this.#data, "--encoding=UTF8", ...how], { cwd: this.#directory });
  }

  /** Without waiting for those who are connected. */
  override async stop(): Promise<void> {
    if (this.pid !== undefined) process.kill(this.pid, "SIGINT");
    await super.stop();
  }

  /** With all its processes: those that outlive the first one keep the next start from the data. */
  override async kill(): Promise<void> {
    const { pid } = this;
    const children = pid === undefined ? [] : await childrenOf(pid);
    await super.kill();
    for (const child of children) if (isRunning(child)) process.kill(child, "SIGKILL");
    while (children.some(isRunning)) await delay(10);
  }

  async newDatabase(name = `db_${randomUUID().replaceAll("-", "")}`): Promise<string> {
    await this.query("postgres", `create database ${name}`);
    return this.url(name);
  }

  url(database: string): string {
    return `postgres://${user}:${this.password}@127.0.0.1:${this.port}/${database}`;
  }

  async query(database: string, sql: string): Promise<string> {
    const flags = ["-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", this.url(database), "-c", sql];
    const { stdout } = await run(join(this.#binaries, "psql"), flags);
    return stdout.trim();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.#keeper.close();
  }
}

async function childrenOf(pid: number): Promise<number[]> {
  const list = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  return list.split(" ").filter(Boolean).map(Number);
}
