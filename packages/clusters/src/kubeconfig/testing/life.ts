/** The life of one KubeconfigRequest, with every write that there is; in one of its runs the operator is killed at one. */
import { isNotFound } from "@berg/apimachinery";
import { Secrets } from "@berg/kube";
import { KubeconfigRequests } from "@berg/resources";
import { expect } from "vitest";
import { formatPoint, type WritePoint, writePoints } from "../../../../../test/crash/writes.ts";
import { eventually } from "../../../../../test/runtime/eventually.ts";
import { annotations } from "../../vocabulary.ts";
import type { Request } from "../names.ts";
import { JumpClock } from "./jump-clock.ts";
import { type Place, podReader, type RunningOperator } from "./place.ts";
import { heldFor, refusedInTime, tried } from "./tried.ts";

export interface Kill {
  /** At whose server. */
  at: "home" | "target";
  point: WritePoint;
  when: "before" | "after";
}

export interface Story {
  /** What was seen at each stop, without what differs from run to run. */
  stops: Record<string, string>;
  /** Around each of the writes. */
  kills: Kill[];
}

/** What all lives share is made once; to be killed at that takes it away from all. */
export const isShared = ({ point }: Kill) => ["namespaces", "resourcequotas"].includes(point.resource);

export const nameOf = ({ at, point, when }: Kill) => `${when} ${formatPoint(point)} at ${at}`;

/** Its whole life; then nothing of it is left, and every kubeconfig that it ever published is refused. */
export async function live(world: Place, name: string, output: "Secret" | "Status", kill?: Kill): Promise<Story> {
  const place = await world.in(name);
  await place.cluster();
  if (kill && isShared(kill)) await place.withoutAccessNamespace();
  const clock = new JumpClock();
  const operator = await Mortal.start(place, clock, kill);
  const stops: Story["stops"] = {};
  const published: string[] = [];
  const refusals: Promise<void>[] = [];
  const rules = [podReader];
  const spec = { output, expiration: 600, clusterRole: { rules }, role: { namespace: "default", rules } };
  const request = await place.request(name, spec);

  /** Time goes on meanwhile: after a restart, what is overdue waits for its turn. */
  async function until(what: string, holds: (now: Request) => unknown, secondsATurn = 0): Promise<void> {
    let now: Request | undefined;
    const look = async () => {
      clock.jump(secondsATurn * 1000);
      now = await place.get(name);
      return now && holds(now);
    };
    await eventually(`${name}: ${what}`, look, 60_000);
    const { status = {}, metadata } = now as unknown as Request;
    const text = status.secretRef || status.kubeconfig ? await place.published(name) : undefined;
    if (text !== undefined && text !== published.at(-1)) published.push(text);
    stops[what] = [
      `${status.phase} ${status.epoch}`,
      `retiring ${status.retiring?.map(({ epoch }) => epoch).join() ?? "none"}`,
      status.conditions
        ?.map((each) => `${each.type}=${each.status}/${each.reason}`)
        .sort()
        .join(" "),
      Object.entries(metadata.annotations ?? {})
        .map((each) => each.join("="))
        .sort()
        .join(" "),
      `has ${await heldFor(place.target, request)}`,
      text === undefined ? "nothing published" : await tried(text),
    ].join("; ");
  }

  /** All but the newest of those that were published. */
  const formerEnd = (newest: number) => {
    const former = published.slice(0, published.length - newest);
    refusals.push(...former.map((text, at) => refusedInTime(text, `${name}: kubeconfig ${at + 1}`)));
  };

  try {
    await until("issued", ({ status }) => status?.phase === "Issued");
    await place.annotate(name, "rotate", "true");
    const isAsked = ({ metadata }: Request) => metadata.annotations?.[annotations.rotate] !== undefined;
    await until("replaced", (now) => now.status?.epoch === 2 && !isAsked(now));
    clock.jump(30_000);
    await until("rotated", ({ status }) => status?.phase === "Issued");
    formerEnd(1);
    clock.jump(420_000);
    await until("due", ({ status }) => status?.epoch === 3, 2);
    await until("retired", ({ status }) => status?.epoch === 3 && !status.retiring, 2);
    await place.change(name, { clusterRole: { rules: [{ ...podReader, verbs: ["get", "list", "watch"] }] } });
    await until("ruled", ({ status }) => status?.observedGeneration === 2);
    await place.change(name, { role: null });
    await until("moved", ({ status }) => status?.observedGeneration === 3);
    await place.annotate(name, "revoke", "true");
    await until("revoked", ({ status }) => status?.phase === "Revoked");
    formerEnd(0);
    await place.annotate(name, "revoke", "false");
    await until("lifted", ({ status }) => status?.phase === "Issued");
    await place.home.delete(KubeconfigRequests, name, name);
    await eventually(`${name}: it is gone`, async () => !(await place.get(name)), 60_000);
    formerEnd(0);
    await operator.settled();
    expect(await heldFor(place.target, request), "left in the target").toBe("");
    await expect(place.home.get(Secrets, name, `${name}-kubeconfig`)).rejects.toSatisfy(isNotFound);
    await Promise.all(refusals);
    await expectNoSecret(place, operator, published);
  } finally {
    await Promise.allSettled(refusals);
    await operator.stop();
    await place[Symbol.asyncDispose]();
  }
  return { stops, kills: killsOf(operator.first) };
}

/** An operator that is killed once, and is followed by another. */
class Mortal {
  readonly first: RunningOperator;
  #running: RunningOperator;
  #restarted: Promise<void> | undefined;
  readonly #kill: Kill | undefined;

  private constructor(first: RunningOperator, kill: Kill | undefined) {
    this.first = first;
    this.#running = first;
    this.#kill = kill;
  }

  static async start(place: Place, clock: JumpClock, kill: Kill | undefined): Promise<Mortal> {
    const mortal = new Mortal(await place.start({ clock }), kill);
    if (!kill) return mortal;
    const { first } = mortal;
    const proxy = kill.at === "home" ? first.proxy : first.targetProxy;
    proxy.at({ ...kill.point, when: kill.when }, () => {
      mortal.#restarted = first.kill().then(async () => {
        mortal.#running = await place.start({ clock });
      });
      return "reset";
    });
    return mortal;
  }

  /** The last write may end a life before it is answered. */
  async settled(): Promise<void> {
    if (this.#kill) await eventually("the write is reached", () => this.#restarted !== undefined, 20_000);
    await this.#restarted;
  }

  get output(): string {
    return [...this.first.output, ...this.#running.output].join("\n");
  }

  async stop(): Promise<void> {
    await this.#restarted;
    await this.#running.stop();
  }
}

/** In no line of the log, and in no event. What is published is where it belongs. */
async function expectNoSecret(place: Place, operator: Mortal, published: readonly string[]): Promise<void> {
  const told = `${operator.output}\n${JSON.stringify(await place.told())}`;
  expect(published.length).toBeGreaterThan(3);
  for (const text of published) {
    const token = /token: >?-?\s*(\S+)/.exec(text)?.[1] ?? "";
    const [, claims = "", signature = ""] = token.split(".");
    expect(signature.length).toBeGreaterThan(40);
    for (const secret of [claims, signature]) expect(told.includes(secret), "a token was told").toBe(false);
  }
}

function killsOf({ proxy, targetProxy }: RunningOperator): Kill[] {
  const servers = [
    ["home", proxy],
    ["target", targetProxy],
  ] as const;
  return servers.flatMap(([at, { requests }]) =>
    writePoints(requests.filter(({ method }) => method !== "GET")).flatMap((point) =>
      (["before", "after"] as const).map((when) => ({ at, point, when })),
    ),
  );
}
