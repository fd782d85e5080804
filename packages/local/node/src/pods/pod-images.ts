/** The images of pods: those of their containers, with the pods' pull secrets, and the one that holds pods together. */
import type { Client, Pod } from "@berg/kube";
import type { Engine } from "@berg/local-engine";
import type { Container } from "../containers/shapes.ts";
import type { ImageOutcome, Images, PullPolicy } from "../images/images.ts";
import { pauseImage } from "../images/pause.ts";
import { readObjects } from "../volumes/objects.ts";

export type Tell = (type: "Normal" | "Warning", reason: string, message: string) => void;

export class PodImages {
  readonly #client: Client;
  readonly #engine: Engine;
  readonly #images: Images;
  #pause: Promise<string> | undefined;

  constructor(client: Client, engine: Engine, images: Images) {
    this.#client = client;
    this.#engine = engine;
    this.#images = images;
  }

  async ensure(pod: Pod, container: Container, tell: Tell, signal: AbortSignal): Promise<ImageOutcome> {
    const names = (pod.spec?.imagePullSecrets ?? []).flatMap(({ name }) => name ?? []);
    const wanted = { configMaps: new Set<string>(), secrets: new Set(names) };
    const secrets = await readObjects(this.#client, pod.metadata.namespace ?? "", wanted, signal);
    return this.#images.ensure(
      {
        podUid: pod.metadata.uid ?? "",
        image: container.image ?? "",
        policy: container.imagePullPolicy as PullPolicy | undefined,
        // One that is not there is no hindrance: the image may need none.
        pullSecrets: names.flatMap((name) => secrets.secret(name) ?? []),
        onEvent: ({ type, reason, message }) => tell(type, reason, message),
      },
      signal,
    );
  }

  /** Its name, when the engine has it. Somebody may remove it: so it is asked for each time, and loaded once. */
  async pause(signal: AbortSignal): Promise<string> {
    const { architecture } = await this.#engine.info(signal);
    const { name, archive } = pauseImage(architecture);
    if (await this.#engine.inspectImage(name, signal)) return name;
    this.#pause ??= this.#engine
      .loadImage(archive)
      .then(() => name)
      .finally(() => {
        this.#pause = undefined;
      });
    return this.#pause;
  }
}
