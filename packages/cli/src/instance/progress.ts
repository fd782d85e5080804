/**
 * What happens while a command waits. On a terminal it is one line that is written over and is gone at the end; into a
 * file or a pipe, one line for each stage.
 */
import type { Timer } from "@berg/kube";
import { isTerminal, type Paint, paintFor } from "./paint.ts";
import { spanText } from "./span.ts";
import type { Surroundings } from "./surroundings.ts";

const tickMs = 1000;
const eraseLine = "\r\u001b[2K";

export class Progress implements Disposable {
  readonly #around: Pick<Surroundings, "stderr" | "env" | "clock">;
  readonly #isLive: boolean;
  readonly #paint: Paint;
  readonly #began: number;
  #stage = "";
  #tick: Timer | undefined;

  constructor(around: Pick<Surroundings, "stderr" | "env" | "clock">) {
    this.#around = around;
    this.#isLive = isTerminal(around.stderr, around.env);
    this.#paint = paintFor(around.stderr, around.env);
    this.#began = around.clock.monotonic();
  }

  get elapsed(): string {
    return spanText(this.#around.clock.monotonic() - this.#began);
  }

  /** The same stage again says nothing new. */
  stage(text: string): void {
    if (text === this.#stage) return;
    this.#stage = text;
    if (this.#isLive) this.#draw();
    else this.#line(text);
  }

  /** Something beside the stages, which stays on the screen. */
  note(text: string): void {
    this.#erase();
    this.#line(this.#paint("yellow", text));
    if (this.#isLive && this.#stage !== "") this.#draw();
  }

  [Symbol.dispose](): void {
    this.#tick?.cancel();
    this.#tick = undefined;
    this.#erase();
    this.#stage = "";
  }

  #line(text: string): void {
    this.#around.stderr.write(`${`[${this.elapsed}]`.padEnd(8)} ${text}\n`);
  }

  #draw(): void {
    const { stderr, clock } = this.#around;
    this.#tick?.cancel();
    // A line that wraps could not be written over.
    const width = (stderr.columns ?? 80) - 1;
    const line = `${`[${this.elapsed}]`.padEnd(8)} ${this.#stage}`;
    stderr.write(`${eraseLine}${this.#paint("dim", line.length > width ? `${line.slice(0, width - 1)}…` : line)}`);
    this.#tick = clock.setTimer(tickMs, () => this.#draw());
  }

  #erase(): void {
    if (this.#isLive && this.#stage !== "") this.#around.stderr.write(eraseLine);
  }
}
