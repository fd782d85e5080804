/** What can be reached from inside a container, tried with the one program that the samples have: Node. */
import type { Machine } from "./machine.ts";

export interface Place {
  host: string;
  port: number;
}

/** Of a name that nobody has it is `unknown`. */
export type Reached = "open" | "closed" | "unknown";

const script = `
const { connect } = require("node:net");
const tried = (place) => new Promise((done) => {
  const socket = connect({ ...place, timeout: 2000 });
  socket.on("connect", () => (socket.destroy(), done("open")));
  socket.on("timeout", () => (socket.destroy(), done("closed")));
  socket.on("error", ({ syscall }) => done(syscall === "getaddrinfo" ? "unknown" : "closed"));
});
Promise.all(JSON.parse(process.argv[1]).map(tried)).then((all) => console.log(JSON.stringify(all)));
`;

/** From the container of this name in this namespace, all at once. */
export async function reach<K extends string>(
  machine: Machine,
  from: { namespace: string; container: string },
  places: Readonly<Record<K, Place>>,
): Promise<Record<K, Reached>> {
  const names = Object.keys(places) as K[];
  const command = ["/usr/bin/node", "-e", script, JSON.stringify(names.map((name) => places[name]))];
  const answers = JSON.parse(await runInside(machine, from, command)) as Reached[];
  return Object.fromEntries(names.map((name, i) => [name, answers[i]])) as Record<K, Reached>;
}

/** What the command says on both its streams. */
export async function runInside(
  { engine }: Machine,
  { namespace, container }: { namespace: string; container: string },
  command: readonly string[],
): Promise<string> {
  const labels = { "berg.local/namespace": namespace, "berg.local/container": container };
  const [there] = (await engine.listContainers(labels)).filter(({ status }) => status === "running");
  if (!there) throw new Error(`no container ${container} runs in ${namespace}`);
  const how = { command: [...command], stdin: false, stdout: true, stderr: true, tty: false };
  const session = await engine.exec(there.id, how);
  let said = "";
  for await (const { bytes } of session.output) said += Buffer.from(bytes).toString();
  return said;
}
