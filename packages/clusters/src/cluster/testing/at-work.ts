/** A world with an operator at work in it, from before the first test of a file until after its last. */
import { afterAll, beforeAll } from "vitest";
import { type RunningOperator, startWorld, type World } from "./world.ts";

interface AtWork {
  world: World;
  operator: RunningOperator;
}

/**
 *     let world: World;
 *     let operator: RunningOperator;
 *     operatorAtWork((started) => ({ world, operator } = started));
 */
export function operatorAtWork(
  use: (started: AtWork) => void,
  ofWorld?: Parameters<typeof startWorld>[0],
  ofOperator?: Parameters<World["startOperator"]>[0],
): void {
  const undo = new AsyncDisposableStack();
  beforeAll(async () => {
    const world = undo.use(await startWorld(ofWorld));
    use({ world, operator: undo.use(await world.startOperator(ofOperator)) });
  });
  afterAll(() => undo.disposeAsync());
}
