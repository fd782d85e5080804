/** Challenges and instances for tests, put together word by word; what is not said is as small as it can be. */
import { randomUUID } from "node:crypto";
import type { Stored } from "@berg/apimachinery";
import type { Client } from "@berg/kube";
import type { BehaviourChoice } from "@berg/local-node";
import { annotations, type Challenge, type ChallengeInstance, ChallengeInstances, Challenges } from "@berg/resources";

type Fields = Record<string, unknown>;

export interface Place {
  client: Client;
  namespace: string;
  /** What pods do, by `behaviourKey`. */
  behaviours: Map<string, BehaviourChoice>;
}

export function behaviourKey(challenge: string, container: string): string {
  return `${challenge}/${container}`;
}

/** `await world.challenge().container("web").port(80, "publicHttpRoute").flag({ env: { name: "FLAG" } }).create()` */
export class ChallengeBuilder {
  readonly #place: Place;
  readonly #name: string;
  readonly #spec: Fields = {};
  readonly #containers: (Fields & { hostname: string; ports: Fields[] })[] = [];

  constructor(place: Place, name: string) {
    this.#place = place;
    this.#name = name;
  }

  /** What follows about ports, flags and behaviour is about this one. */
  container(hostname: string, fields: Fields = {}): this {
    this.#containers.push({ hostname, image: "web:1", ports: [], ...fields });
    return this;
  }

  port(port: number, type: string, fields: Fields = {}): this {
    this.#last.ports.push({ port, type, ...fields });
    return this;
  }

  flag(dynamicFlag: Fields): this {
    Object.assign(this.#last, { dynamicFlag });
    return this;
  }

  /** What the simulated pods of the container do: `behaving("crash-loop exitCode=3")`. */
  behaving(choice: BehaviourChoice): this {
    this.#place.behaviours.set(behaviourKey(this.#name, this.#last.hostname), choice);
    return this;
  }

  /** Any other fields of the spec: `with({ timeout: "5s" })`. */
  with(fields: Fields): this {
    Object.assign(this.#spec, fields);
    return this;
  }

  get manifest() {
    const containers = this.#containers.length > 0 ? this.#containers : [this.#last];
    return {
      apiVersion: "berg.norelect.ch/v1",
      kind: "Challenge",
      metadata: { namespace: this.#place.namespace, name: this.#name },
      spec: { containers, ...this.#spec } as Challenge["spec"],
    };
  }

  create(): Promise<Stored<Challenge>> {
    return this.#place.client.create(Challenges, this.manifest);
  }

  get #last() {
    if (this.#containers.length === 0) this.container("web");
    return this.#containers.at(-1) as Fields & { hostname: string; ports: Fields[] };
  }
}

/** `await world.instance(challenge).timeout("5s").create()`: of a new owner, with a flag of its own, unless told. */
export class InstanceBuilder {
  readonly #place: Place;
  readonly #spec: Fields;
  readonly #metadata: Fields = {};

  constructor(place: Place, challenge: { metadata: { namespace?: string; name: string } }) {
    this.#place = place;
    const { namespace, name } = challenge.metadata;
    this.#spec = {
      challengeRef: { name, ...(namespace !== undefined && { namespace }) },
      ownerId: randomUUID(),
      flag: `flag{canary-${randomUUID()}}`,
    };
  }

  ownedBy(ownerId: string): this {
    return this.with({ ownerId });
  }

  flag(flag: string | undefined): this {
    return this.with({ flag });
  }

  timeout(timeout: string): this {
    return this.with({ timeout });
  }

  /** Whoever creates it wants to know its id at once. */
  withId(instanceId: string): this {
    Object.assign(this.#metadata, { annotations: { [annotations.instanceId]: instanceId } });
    return this;
  }

  with(fields: Fields): this {
    Object.assign(this.#spec, fields);
    return this;
  }

  metadata(fields: Fields): this {
    Object.assign(this.#metadata, fields);
    return this;
  }

  get manifest() {
    const name = `owner-${this.#spec.ownerId}`;
    return {
      apiVersion: "berg.norelect.ch/v1",
      kind: "ChallengeInstance",
      metadata: { namespace: this.#place.namespace, name, ...this.#metadata },
      spec: this.#spec as unknown as ChallengeInstance["spec"],
    };
  }

  create(): Promise<Stored<ChallengeInstance>> {
    return this.#place.client.create(ChallengeInstances, this.manifest);
  }
}
