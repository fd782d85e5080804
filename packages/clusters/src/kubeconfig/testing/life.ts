/** The life of one KubeconfigRequest, with every write that there is; in one of its runs the operator is killed at one. */
import { isNotFound } from "@berg/apimachinery";
import { Secrets } from "@berg/kube";
import { KubeconfigRequests } from "@berg/resources";
import { expect } from "vitest";
import { type Kill as KillAt, killsOf, Mortal } from "../../../../../test/crash/mortal.ts";
import { eventually } from "../../../../../test/runtime/eventually.ts";
import { annotations } from "../../vocabulary.ts";
import type { Request } from "../names.ts";
import { JumpClock } from "./jump-clock.ts";
import { type Place, podReader } from "./place.ts";
import { expectNoToken, heldFor, refusedInTime, tried } from "./tried.ts";

export type Kill = KillAt<"home" | "target">;

export interface Story {
  /** What was seen at each stop, without what differs from run to run. */
  stops: Record<string, string>;
  /** Around each of the writes. */
  kills: Kill[];
}

/** What all lives share is made once; to be killed at that takes it away from all. */
export const isShared = ({ point }: KillAt) => ["namespaces", "resourcequotas"].includes(point.resource);

/** Its whole life; then nothing of it is left, and every kubeconfig that it ever published is refused. */
export async function live(world: Place, name: string, output: "Secret" | "Status", kill?: Kill): Promise<Story> {
  const place = await world.in(name);
  await place.cluster();
  if (kill && isShared(kill)) await place.withoutAccessNamespace();
  const clock = new JumpClock();
  const operator = await Mortal.start(() => place.start({ clock }), kill);
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
    if (kill) await operator.killed();
    expect(await heldFor(place.target, request), "left in the target").toBe("");
    await expect(place.home.get(Secrets, name, `${name}-kubeconfig`)).rejects.toSatisfy(isNotFound);
    await Promise.all(refusals);
    expect(published.length).toBeGreaterThan(3);
    expectNoToken(`${operator.output}\n${JSON.stringify(await place.told())}`, published);
  } finally {
    await Promise.allSettled(refusals);
    await operator.stop();
    await place[Symbol.asyncDispose]();
  }
  return { stops, kills: killsOf(operator.parts[0]) };
}
