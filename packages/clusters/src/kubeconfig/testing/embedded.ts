/** A place on two embedded control planes, and one with a second target on three. */
import type { Connection } from "@berg/kube";
import { startLocalControlPlane } from "@berg/local-control-plane";
import { Place } from "./place.ts";

interface EmbeddedPlace extends AsyncDisposable {
  place: Place;
}

export async function embeddedPlace(): Promise<EmbeddedPlace> {
  await using undo = new AsyncDisposableStack();
  const [home, target] = [await startEmbedded(undo), await startEmbedded(undo)];
  const place = undo.use(await Place.open({ home, target }));
  const parts = undo.move();
  return { place, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

export async function embeddedPlaceOfTwo(): Promise<EmbeddedPlace & { second: Connection }> {
  await using undo = new AsyncDisposableStack();
  const [home, target, second] = [await startEmbedded(undo), await startEmbedded(undo), await startEmbedded(undo)];
  const place = undo.use(await Place.open({ home, target, second }));
  const parts = undo.move();
  return { place, second, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

export async function startEmbedded(undo: AsyncDisposableStack): Promise<Connection> {
  return undo.use(await startLocalControlPlane({ dataDir: ":memory:", scheduler: false })).apiServer.connection;
}
