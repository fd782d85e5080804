/** A part of Berg with a proxy in front of each server that it talks to: killed at one of its writes, and followed by another. */
import type { FaultProxy, Point } from "../faults/proxy.ts";
import { eventually } from "../runtime/eventually.ts";
import { type RunningPart, writesOf } from "../scenarios/in-process.ts";
import { formatPoint, type WritePoint, writePoints } from "./writes.ts";

export interface Kill<At extends string = string> {
  /** At whose server. */
  at: At;
  point: WritePoint;
  when: Point["when"];
}

export interface Killable<At extends string> extends Pick<RunningPart, "output" | "stop" | "kill"> {
  readonly proxies: Readonly<Record<At, FaultProxy>>;
}

export const nameOf = ({ at, point, when }: Kill) => `${when} ${formatPoint(point)} at ${at}`;

/** `create secrets at target`, whichever it is of them. */
export const kindOf = (kill: Kill) =>
  nameOf(kill)
    .replace(/^(before|after) /, "")
    .replace(/ \d+ at/, " at");

/** Around each of its writes. Reviews are asked for, and nothing is stored of them. */
export function killsOf<At extends string>({ proxies }: Killable<At>): Kill<At>[] {
  return (Object.entries(proxies) as [At, FaultProxy][]).flatMap(([at, proxy]) =>
    writePoints(writesOf(proxy).filter(({ resource }) => !resource.endsWith("reviews"))).flatMap((point) =>
      (["before", "after"] as const).map((when) => ({ at, point, when })),
    ),
  );
}

export class Mortal<At extends string, Part extends Killable<At>> {
  /** One after the other. */
  readonly parts: [Part, ...Part[]];
  #restarted: Promise<void> | undefined;

  private constructor(first: Part) {
    this.parts = [first];
  }

  /** Without `kill`, nobody is killed. */
  static async start<At extends string, Part extends Killable<At>>(
    start: () => Promise<Part>,
    kill: Kill<At> | undefined,
  ): Promise<Mortal<At, Part>> {
    const first = await start();
    const mortal = new Mortal<At, Part>(first);
    if (!kill) return mortal;
    first.proxies[kill.at].at({ ...kill.point, when: kill.when }, () => {
      mortal.#restarted = first.kill().then(async () => void mortal.parts.push(await start()));
      return "reset";
    });
    return mortal;
  }

  /** The last write may end a life before it is answered. */
  async killed(): Promise<void> {
    await eventually("the write is reached", () => this.#restarted !== undefined, 20_000);
    await this.#restarted;
  }

  get output(): string {
    return this.parts.flatMap(({ output }) => output).join("\n");
  }

  async stop(): Promise<void> {
    await this.#restarted;
    await this.parts.at(-1)?.stop();
  }
}
