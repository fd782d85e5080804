/** One test's own namespace, Cluster, operator and time. */
import { eventually } from "../../../../../test/runtime/eventually.ts";
import type { Request } from "../names.ts";
import { JumpClock } from "./jump-clock.ts";
import type { OperatorOptions, Place, RunningOperator } from "./place.ts";

export interface Stage extends AsyncDisposable {
  place: Place;
  operator: RunningOperator;
  clock: JumpClock;
  /** `Issued 2`: phase and epoch. */
  until(name: string, wanted: string): Promise<Request>;
  /** `False TargetUnreachable` */
  untilCondition(name: string, type: string, wanted: string): Promise<Request>;
}

let stages = 0;

/** `world`: see whileTesting. */
export async function openStage(world: () => { place: Place }, options: OperatorOptions = {}): Promise<Stage> {
  const place = await world().place.in(`stage-${++stages}`);
  const clock = new JumpClock();
  await place.cluster();
  const operator = await place.start({ clock, ...options });
  const look = async (name: string, wanted: string, tell: (request: Request) => string) => {
    let last = "nothing";
    let request: Request | undefined;
    const isThere = async () => {
      request = await place.get(name);
      last = request ? tell(request) : "gone";
      return last === wanted;
    };
    await eventually(`${name} is ${wanted}`, isThere, 20_000).catch((cause) => {
      throw new Error(`${name} is not ${wanted}, but ${last}`, { cause });
    });
    return request as unknown as Request;
  };
  return {
    place,
    operator,
    clock,
    until: (name, wanted) => look(name, wanted, ({ status = {} }) => `${status.phase} ${status.epoch ?? 0}`),
    untilCondition: (name, type, wanted) => look(name, wanted, (request) => conditionOf(request, type)),
    async [Symbol.asyncDispose]() {
      await operator.stop();
      await place[Symbol.asyncDispose]();
    },
  };
}

export function conditionOf({ status }: Request, type: string): string {
  const found = status?.conditions?.find((each) => each.type === type);
  return found ? `${found.status} ${found.reason}` : "none";
}
