/**
 * `npm run test:storm [-- --minutes 5 --rate 5 --embedded]`: two controllers, two listeners and three janitors at once,
 * while instances come and go and random ones of the processes are killed. In the end nothing is left, nothing went that
 * was not ours or not due, nothing outlived its time, and every record is closed.
 */
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openDatabaseRecords } from "@berg/healing";
import { Namespaces, systemRandom } from "@berg/kube";
import { startLocalControlPlane } from "@berg/local-control-plane";
import { managedByBerg } from "@berg/resources";
import { atRate } from "../../bench/instances/pace.ts";
import { startControlPlane } from "../../control-plane/control-plane.ts";
import { eventually } from "../../runtime/eventually.ts";
import { startWorld } from "../../scenarios/world.ts";
import { Crowd } from "./crowd.ts";
import { lateness, leftOver, wronglyDeleted } from "./judge.ts";
import { play } from "./players.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "5" },
    rate: { type: "string", default: "5" },
    embedded: { type: "boolean", default: false },
  },
});
const minutes = numberOf("--minutes", values.minutes);
const rate = numberOf("--rate", values.rate);
const crowd = ["controller", "controller", "listener", "listener", "janitor", "janitor", "janitor"];
/** Each of the seven lives about a minute: long enough to lead, and to be missed. */
const killEveryMs = { from: 3_000, to: 15_000 };
/** In the end all are gone, however long the server takes to remove so many namespaces: as long as fewer are left. */
const standstillMs = 60_000;

await using stack = new AsyncDisposableStack();
const directory = await mkdtemp(join(tmpdir(), "berg-storm-"));
let isKept = false;
stack.defer(async () => {
  if (!isKept) await rm(directory, { recursive: true, force: true });
});
const kubeconfig = join(directory, "kubeconfig");
const world = stack.use(
  await startWorld({
    controlPlane: values.embedded ? embedded : real,
    foreignCrds: { standIns: values.embedded },
  }),
);
// Nobody may touch these: one without a mark under a name as ours, one whose mark names no instance.
const bystanders = [
  { name: "challenge-of-somebody-else" },
  { name: "half-marked", labels: { "app.kubernetes.io/managed-by": managedByBerg } },
];
for (const metadata of bystanders) await world.client.create(Namespaces, { metadata });
const challenge = await world.challenge("storm").container("web").port(80, "publicHttpRoute").create();
const database = join(directory, "records.db");
const records = stack.use(await openDatabaseRecords({ database }));
const env = { DATABASE_URL: database, GHOST_GRACE: "10s", POD_NAMESPACE: world.namespace };
const processes = stack.use(new Crowd(kubeconfig, env, join(directory, "log")));
for (const command of crowd) await processes.start(command);

say(`${rate} instances a second for ${minutes} minutes; the log is ${join(directory, "log")}`);
const calm = new AbortController();
const killing = processes.killAtRandom(systemRandom, killEveryMs, calm.signal);
const telling = setInterval(() => say(`${countOf("added")} began, ${countOf("deleted")} are gone`), 15_000);
const deletedByHand = new Set<string>();
const game = { world, challenge: challenge.metadata.name, random: systemRandom, deletedByHand };
await atRate(rate, Math.round(minutes * 60 * rate), () => play(game));
calm.abort();
await killing;
const left = () => leftOver(world.followed.resources.flatMap((informer) => informer.list()));
await untilGone();
clearInterval(telling);
await eventually("every record is closed", async () => (await records.open()).length === 0, 60_000).catch(() => {});

const { changes } = world.followed;
const late = lateness(changes, processes.deaths, Date.now());
const problems = [
  ...wronglyDeleted(changes, deletedByHand, Date.now()),
  ...late
    .filter(({ ms, limitMs }) => !(ms <= limitMs))
    .map(({ instance, ms }) => `${instance} ended ${Math.round(ms)} ms late`),
  ...(await records.open()).map(({ uid, status }) => `the record of ${uid} is still ${status}`),
  ...processes.accidents,
  ...(await Promise.all(bystanders.map(({ name }) => harmDoneTo(name)))).flat(),
  ...left().map((what) => `left over: ${what}`),
];
await world.check().catch((error: Error) => problems.push(error.message));
const latest = Math.round(late[0]?.ms ?? 0);
say(`${countOf("added")} instances, ${processes.deaths.length} kills, the latest end ${latest} ms after its time`);
for (const problem of problems.slice(0, 30)) say(problem);
say(problems.length === 0 ? "all is well" : `${problems.length} problems; the log stays in ${directory}`);
isKept = problems.length > 0;
process.exitCode = isKept ? 1 : 0;

async function untilGone(): Promise<void> {
  for (let before = Number.POSITIVE_INFINITY; left().length > 0 && left().length < before; ) {
    before = left().length;
    await eventually("fewer are left", () => left().length < before, standstillMs).catch(() => {});
  }
}

async function harmDoneTo(name: string): Promise<string[]> {
  const there = await world.client.get(Namespaces, "", name).catch(() => undefined);
  return there && there.metadata.deletionTimestamp === undefined ? [] : [`the namespace ${name} was deleted`];
}

async function real() {
  const controlPlane = await startControlPlane({ scheduler: false });
  await copyFile(controlPlane.kubeconfig, kubeconfig);
  return controlPlane;
}

async function embedded() {
  const controlPlane = await startLocalControlPlane({ dataDir: ":memory:", scheduler: false });
  await writeFile(kubeconfig, controlPlane.apiServer.kubeconfig, { mode: 0o600 });
  return { connection: controlPlane.apiServer.connection, stop: () => controlPlane.stop() };
}

function countOf(type: "added" | "deleted"): number {
  return world.followed.changes.filter((change) => change.resource === "challengeinstances" && change.type === type)
    .length;
}

function numberOf(option: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`cannot use ${option}: "${text}" is not a number above 0`);
  return value;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
