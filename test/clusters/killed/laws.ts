/**
 * What must hold in every life, whoever is killed when: an account has one tenant and a tenant one account, none is marked
 * dirty that a Shoot uses; one Shoot is ever made, and deleted by its UID after its Cluster; nothing of an administrator's
 * kubeconfig and of a token is told; whoever holds what is published is never refused. That it can do what its rules say
 * alone, and that nothing is left in the target, is in what is seen at each stop (look.ts).
 */
import { expectNoToken } from "../../../packages/clusters/src/kubeconfig/testing/tried.ts";
import { adminTraces } from "../../../packages/clusters/src/target/testing/admin-traces.ts";
import type { Mortal } from "../../crash/mortal.ts";
import type { Seen } from "../../faults/proxy.ts";
import { writesOf } from "../../scenarios/in-process.ts";
import type { Ground } from "./landscape.ts";
import type { Path } from "./life.ts";
import type { At, RunningOperators } from "./operators.ts";

/** Every breach, in words; to be asked when nobody works there any more. */
export async function breachesOf(
  { place, record }: Ground,
  operators: Mortal<At, RunningOperators>,
  { published, refusals, deletedAt }: Path,
): Promise<string[]> {
  const told = `${operators.output}\n${JSON.stringify(await place.told())}`;
  expectNoToken(told, published);
  const writes = operators.parts.flatMap(({ proxies }) => Object.values(proxies).flatMap(writesOf));
  return [
    ...record.breaches(),
    ...shootBreaches(writes, deletedAt),
    ...refusals,
    ...adminTraces(told).map((trace) => `${trace} was told`),
    ...(published.length < 3 ? [`only ${published.length} kubeconfigs were seen`] : []),
  ];
}

function* shootBreaches(writes: readonly Seen[], deletedAt: number): Generator<string> {
  const ofShoots = writes.filter(({ resource, subresource }) => resource === "shoots" && subresource === "");
  const isDone = ({ code = 0 }: Seen) => code >= 200 && code < 300;
  const made = ofShoots.filter((seen) => seen.verb === "create" && isDone(seen)).length;
  if (made !== 1) yield `${made} Shoots were made`;
  for (const { at, uid } of ofShoots.filter(({ verb }) => verb === "delete")) {
    if (at < deletedAt) yield "the Shoot was deleted before its Cluster";
    if (uid === undefined) yield "the Shoot was deleted, whichever it was";
  }
}
