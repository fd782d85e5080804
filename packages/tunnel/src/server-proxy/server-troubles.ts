/**
 * Which servers cannot be reached. Each change is told, at once where the last one is some time ago, and else a little
 * later: a server that lets in every other stream would else be told of with each.
 */
import type { Clock, Timer } from "@berg/kube/process";

export interface ServerNews {
  readonly tunnelId: number;
  readonly name: string;
  /** Undefined where a stream has got through. */
  readonly trouble: string | undefined;
}

interface Known {
  latest: ServerNews;
  told: ServerNews | undefined;
  timer: Timer | undefined;
}

const apartMs = 2_000;

export class ServerTroubles implements Disposable {
  readonly #clock: Clock;
  readonly #tell: (news: ServerNews) => void;
  /** Of those that ever failed, by the tunnel's id. */
  readonly #known = new Map<number, Known>();

  constructor(clock: Clock, tell: (news: ServerNews) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  failed(tunnelId: number, name: string, trouble: string): void {
    this.#found({ tunnelId, name, trouble });
  }

  /** Called for each stream: nothing where there was no trouble. */
  reached(tunnelId: number): void {
    const known = this.#known.get(tunnelId);
    if (known?.latest.trouble !== undefined) this.#found({ ...known.latest, trouble: undefined });
  }

  /** How each is now, for whoever has not heard before. */
  all(): ServerNews[] {
    return [...this.#known.values()].map(({ latest }) => latest);
  }

  forget(tunnelId: number): void {
    this.#known.get(tunnelId)?.timer?.cancel();
    this.#known.delete(tunnelId);
  }

  [Symbol.dispose](): void {
    for (const id of [...this.#known.keys()]) this.forget(id);
  }

  #found(news: ServerNews): void {
    const known = this.#known.get(news.tunnelId) ?? { latest: news, told: undefined, timer: undefined };
    known.latest = news;
    this.#known.set(news.tunnelId, known);
    if (!known.timer) this.#tellLatest(known);
  }

  #tellLatest(known: Known): void {
    known.timer = undefined;
    if (known.told?.trouble === known.latest.trouble) return;
    known.told = known.latest;
    known.timer = this.#clock.setTimer(apartMs, () => this.#tellLatest(known));
    this.#tell(known.latest);
  }
}
