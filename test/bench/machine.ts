/** How busy the whole machine was for a while: a late answer may be that of a machine with nothing left to give. */
import { readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";

interface ProcessorTimes {
  all: number;
  idle: number;
  /** That other guests of the same host had of it. */
  stolen: number;
}

/** From `new` to `ended`. */
export class MachineWatch {
  readonly #before = processorTimes(readFileSync("/proc/stat", "utf8"));
  readonly #loop = monitorEventLoopDelay({ resolution: 5 });

  constructor() {
    this.#loop.enable();
  }

  ended(): string {
    this.#loop.disable();
    const now = processorTimes(readFileSync("/proc/stat", "utf8"));
    const share = (of: "idle" | "stolen") => (now[of] - this.#before[of]) / (now.all - this.#before.all);
    const busy = (100 * (1 - share("idle"))).toFixed(0);
    const stolen = (100 * share("stolen")).toFixed(1);
    const stall = (this.#loop.max / 1e6).toFixed(0);
    return `all processors of this machine were busy for ${busy} % of the time (stolen by its host: ${stolen} %), and the bench itself stood still for ${stall} ms at most`;
  }
}

/** Of `/proc/stat`: Node's own `os.cpus()` leaves out what was stolen. */
export function processorTimes(stat: string): ProcessorTimes {
  const [user = 0, nice = 0, system = 0, idle = 0, waiting = 0, irq = 0, softirq = 0, stolen = 0] = (
    stat.split("\n", 1)[0] as string
  )
    .trim()
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return {
    all: user + nice + system + idle + waiting + irq + softirq + stolen,
    idle: idle + waiting,
    stolen,
  };
}
