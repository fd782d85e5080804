/** A container of somebody who is up to no good, with every right there that a container can have. */
import type { ContainerCreate } from "@berg/local-engine";
import type { Machine } from "../one-machine/machine.ts";
import type { Call, Outcome } from "./attacks/knock.ts";

/** Node, busybox and the scripts of attacks/: attacked.ts makes it. */
export const attackerImage = "berg.test/attacker:1";

export class Attacker implements AsyncDisposable {
  readonly #machine: Machine;
  readonly id: string;

  private constructor(machine: Machine, id: string) {
    this.#machine = machine;
    this.id = id;
  }

  /** `network`: of the engine, or `container:<id>`, to stand where that one stands. */
  static async enter(machine: Machine, network: string, command?: readonly string[]): Promise<Attacker> {
    const body: ContainerCreate = {
      Image: attackerImage,
      User: "0:0",
      ...(command && { Cmd: command }),
      Labels: {},
      HostConfig: { NetworkMode: network, CapAdd: ["ALL"] },
    };
    const { id } = await machine.engine.createContainer(`attacker-${crypto.randomUUID()}`, body);
    await machine.engine.startContainer(id);
    return new Attacker(machine, id);
  }

  /** What it says on stdout. */
  async run(...command: string[]): Promise<string> {
    const how = { command, stdin: false, stdout: true, stderr: true, tty: false };
    const session = await this.#machine.engine.exec(this.id, how);
    const said = { stdout: "", stderr: "" };
    for await (const { stream, bytes } of session.output) said[stream] += Buffer.from(bytes).toString();
    const exit = await session.exitCode();
    if (exit !== 0) throw new Error(`${command[0]} ended with ${exit}: ${said.stderr}`);
    return said.stdout;
  }

  async knock(calls: readonly Call[]): Promise<Outcome[]> {
    return JSON.parse(await this.run("node", "/attacks/knock.ts", JSON.stringify(calls)));
  }

  async scan(address: string): Promise<{ open: number[]; unanswered: number[] }> {
    return JSON.parse(await this.run("node", "/attacks/scan.ts", address));
  }

  /** The last whole line of its first command. */
  async lastLine(): Promise<string> {
    let said = "";
    for await (const { bytes } of this.#machine.engine.containerLogs(this.id, { follow: false, timestamps: false }))
      said += Buffer.from(bytes).toString();
    return said.split("\n").at(-2) ?? "";
  }

  async pid(): Promise<number> {
    return (await this.#machine.engine.inspectContainer(this.id))?.pid ?? 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#machine.engine.removeContainer(this.id);
  }
}
