/** A place on real control planes: one for requests, and two targets. */
import { type ControlPlane, startControlPlane } from "@berg/test";
import { Place } from "./place.ts";

export interface RealPlace extends AsyncDisposable {
  place: Place;
  target: ControlPlane;
  second: ControlPlane;
}

export async function realPlace({ targetFlags = [] }: { targetFlags?: readonly string[] } = {}): Promise<RealPlace> {
  await using undo = new AsyncDisposableStack();
  const start = async (controllerManager: boolean, apiServerFlags: readonly string[] = []) =>
    undo.use(await startControlPlane({ controllerManager, scheduler: false, apiServerFlags }));
  // The controller manager of the target deletes what namespaces contain.
  const [home, target, second] = await Promise.all([start(false), start(true, targetFlags), start(false)]);
  const connections = { home: home.connection, target: target.connection, second: second.connection };
  const place = undo.use(await Place.open(connections));
  const parts = undo.move();
  return { place, target, second, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}
