/**
 * What the engine itself takes for the same: a network of its own, a container that holds it, and one beside that. By
 * hand, one after the other, with nobody deciding anything.
 */
import type { Engine } from "@berg/local-engine";
import { image } from "./web-image.ts";

export interface EnginePod extends AsyncDisposable {
  readonly address: string;
}

/** The image of the container that holds the network, as it is in use. */
export async function pauseImageOf(engine: Engine): Promise<string> {
  const [pause] = await engine.listContainers({ "berg.local/role": "pause" });
  const found = pause && (await engine.inspectContainer(pause.id));
  if (!found) throw new Error("no pod runs here");
  return found.imageId;
}

/** `number`: of those that are there at the same time, up to 255. */
export async function startEnginePod(engine: Engine, pauseImage: string, number: number): Promise<EnginePod> {
  const name = `bench-${number}`;
  await using undo = new AsyncDisposableStack();
  const network = {
    name,
    labels: {},
    subnet: `10.213.${number}.0/24`,
    gateway: `10.213.${number}.1`,
    bridge: `bench${number}`,
  };
  await engine.createNetwork(network);
  undo.defer(() => engine.removeNetwork(name));
  const start = async (role: string, body: Parameters<Engine["createContainer"]>[1]) => {
    const { id } = await engine.createContainer(`${name}-${role}`, body);
    undo.defer(() => engine.removeContainer(id));
    await engine.startContainer(id);
    return id;
  };
  const pause = await start("pause", { Image: pauseImage, Labels: {}, HostConfig: { NetworkMode: name } });
  const memory = 256 * 1024 * 1024;
  const limits = { NanoCpus: 2e9, Memory: memory, MemorySwap: memory, PidsLimit: 1024 };
  await start("web", {
    Image: image,
    Labels: {},
    HostConfig: { NetworkMode: `container:${pause}`, IpcMode: `container:${pause}`, ...limits },
  });
  const address = (await engine.inspectContainer(pause))?.addresses[name];
  if (!address) throw new Error(`${name} has no address`);
  const parts = undo.move();
  return { address, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}
