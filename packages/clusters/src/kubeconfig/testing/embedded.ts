/** A place on two embedded control planes. */
import { startLocalControlPlane } from "@berg/local-control-plane";
import { Place } from "./place.ts";

export async function embeddedPlace(): Promise<{ place: Place } & AsyncDisposable> {
  await using undo = new AsyncDisposableStack();
  const start = async () => undo.use(await startLocalControlPlane({ dataDir: ":memory:", scheduler: false })).apiServer;
  const [home, target] = [await start(), await start()];
  const place = undo.use(await Place.open({ home: home.connection, target: target.connection }));
  const parts = undo.move();
  return { place, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}
