import type { Figure } from "./figure.ts";

/** What `<name>/bench.ts` exports as `bench`. */
export interface Bench {
  /** How it was measured, for those who read the table. */
  about: string;
  /** New connections are measured: without what the machine's firewall makes of them, where that can be had. */
  ownNetwork?: boolean;
  run(options: BenchOptions): Promise<Figure[]>;
}

export interface BenchOptions {
  /** Less of everything: shows that it works, and roughly how fast. */
  quick: boolean;
  /** Says how far it is. */
  say(text: string): void;
}
