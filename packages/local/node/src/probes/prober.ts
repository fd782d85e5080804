/**
 * Asks running containers how they are, each probe by its own clock, and tells the pod when a verdict changes. Whoever
 * decides reads the verdicts; nothing is done about them here.
 */
import { type Clock, errorText, type Logger, type Pod, sleep } from "@berg/kube";
import type { Engine } from "@berg/local-engine";
import { expand } from "../containers/expand.ts";
import { type Container, type Probe, resolvePort } from "../containers/shapes.ts";
import { ExecProbe } from "./exec-probe.ts";
import { untilListening } from "./listening.ts";
import { httpProbe, httpTarget, tcpProbe } from "./network-probes.ts";
import type { ProbeOutcome } from "./outcome.ts";
import { firstState, nextState, type ProbeKind, type ProbeState, type Verdict } from "./probe-state.ts";

export interface ProbeTarget {
  pod: Pod;
  container: Container;
  id: string;
  podIP: string;
  /** Wall time in ms. */
  startedAt: number;
  /** What was known before our process began: it is not taken back before it is asked. */
  before?: { started: boolean; ready: boolean } | undefined;
}

export interface ProberOptions {
  engine: Engine;
  clock: Clock;
  log: Logger;
  onChange(pod: Pod): void;
  /** Of what a probe said that was not well. */
  onUnhealthy(pod: Pod, container: Container, reason: "Unhealthy" | "ProbeWarning", message: string): void;
}

export type Verdicts = Readonly<Partial<Record<ProbeKind, Verdict>>>;

interface Running {
  states: Map<ProbeKind, ProbeState>;
  stops: Map<ProbeKind, AbortController>;
  /** Resolves when the startup probe has succeeded, or at once where there is none. */
  started: PromiseWithResolvers<void>;
}

const titles: Record<ProbeKind, string> = { startup: "Startup", readiness: "Readiness", liveness: "Liveness" };

export class Prober {
  readonly #options: ProberOptions;
  readonly #running = new Map<string, Running>();

  constructor(options: ProberOptions) {
    this.#options = options;
  }

  /** Begins with a container that was not known; for one that is, nothing changes. */
  watch(target: ProbeTarget): void {
    if (this.#running.has(target.id)) return;
    const running: Running = { states: new Map(), stops: new Map(), started: Promise.withResolvers() };
    this.#running.set(target.id, running);
    const { container, before } = target;
    const probes = {
      startup: container.startupProbe,
      readiness: container.readinessProbe,
      liveness: container.livenessProbe,
    };
    for (const [kind, probe] of Object.entries(probes) as [ProbeKind, Probe | undefined][]) {
      if (!probe) continue;
      const isKnown = (kind === "startup" && before?.started) || (kind === "readiness" && before?.ready);
      const state = firstState(kind);
      running.states.set(kind, isKnown ? { ...state, verdict: "success", isDone: kind === "startup" } : state);
      void this.#run(kind, probe, target, running);
    }
    if (!container.startupProbe || before?.started) running.started.resolve();
  }

  verdicts(id: string): Verdicts {
    return Object.fromEntries([...(this.#running.get(id)?.states ?? [])].map(([kind, { verdict }]) => [kind, verdict]));
  }

  /** It is being ended: it is no longer asked whether it lives, only whether it still serves. */
  quieten(id: string): void {
    for (const kind of ["startup", "liveness"] as const) this.#running.get(id)?.stops.get(kind)?.abort();
  }

  forget(id: string): void {
    for (const stop of this.#running.get(id)?.stops.values() ?? []) stop.abort();
    this.#running.delete(id);
  }

  stop(): void {
    for (const id of [...this.#running.keys()]) this.forget(id);
  }

  async #run(kind: ProbeKind, probe: Probe, target: ProbeTarget, running: Running): Promise<void> {
    const { clock, log } = this.#options;
    const stop = new AbortController();
    running.stops.set(kind, stop);
    const { signal } = stop;
    const asking = new ExecProbe(this.#options.engine, clock);
    const periodMs = (probe.periodSeconds ?? 10) * 1000;
    try {
      if (kind !== "startup") await untilAborted(running.started.promise, signal);
      const wait = target.startedAt + (probe.initialDelaySeconds ?? 0) * 1000 - clock.now();
      if (wait > 0) await sleep(clock, wait, signal);
      const isNew = kind === "readiness" && running.states.get(kind)?.verdict !== "success";
      const place = isNew ? placeOf(probe, target) : undefined;
      if (place) await untilListening(place, { clock, forMs: periodMs, signal });
      let state = running.states.get(kind) ?? firstState(kind);
      while (!state.isDone) {
        const due = clock.monotonic() + periodMs;
        const outcome = await this.#ask(probe, target, asking, signal);
        state = this.#take(kind, probe, target, state, outcome);
        const changed = state.verdict !== running.states.get(kind)?.verdict;
        running.states.set(kind, state);
        if (kind === "startup" && state.verdict === "success") running.started.resolve();
        if (changed) this.#options.onChange(target.pod);
        if (!state.isDone) await sleep(clock, Math.max(0, due - clock.monotonic()), signal);
      }
    } catch (error) {
      if (!signal.aborted) log.error({ error: errorText(error), probe: kind }, "a probe broke");
    }
  }

  #take(
    kind: ProbeKind,
    probe: Probe,
    { pod, container, id }: ProbeTarget,
    state: ProbeState,
    outcome: ProbeOutcome,
  ): ProbeState {
    const { onUnhealthy } = this.#options;
    switch (outcome.result) {
      case "error":
        onUnhealthy(
          pod,
          container,
          "Unhealthy",
          `${titles[kind]} probe errored and resulted in unknown state: ${outcome.message.replaceAll(id, container.name)}`,
        );
        return state;
      case "warning":
        onUnhealthy(pod, container, "ProbeWarning", `${titles[kind]} probe warning: ${outcome.output}`);
        return nextState(kind, probe, state, "success");
      case "failure":
        onUnhealthy(pod, container, "Unhealthy", `${titles[kind]} probe failed: ${outcome.output}`);
        return nextState(kind, probe, state, "failure");
      case "success":
        return nextState(kind, probe, state, "success");
    }
  }

  async #ask(probe: Probe, target: ProbeTarget, asking: ExecProbe, signal: AbortSignal): Promise<ProbeOutcome> {
    const { clock } = this.#options;
    const { container, podIP } = target;
    const timeoutMs = (probe.timeoutSeconds ?? 1) * 1000;
    try {
      if (probe.exec)
        return await asking.ask(target.id, staticCommand(probe.exec.command ?? [], container), timeoutMs, signal);
      if (probe.httpGet)
        return await httpProbe(httpTarget(probe.httpGet, container, podIP), { clock, timeoutMs, signal });
      if (probe.tcpSocket) {
        const port = resolvePort(probe.tcpSocket.port as string | number, container);
        return await tcpProbe(probe.tcpSocket.host || podIP, port, { clock, timeoutMs, signal });
      }
      return { result: "error", message: "this node cannot ask in this way" };
    } catch (error) {
      signal.throwIfAborted();
      return { result: "error", message: errorText(error) };
    }
  }
}

/** Where a probe over the network asks; undefined where there is no such place, which it says itself when it is asked. */
function placeOf({ httpGet, tcpSocket }: Probe, { container, podIP }: ProbeTarget) {
  const asked = httpGet ?? tcpSocket;
  if (!asked) return undefined;
  try {
    return { host: asked.host || podIP, port: resolvePort(asked.port as string | number, container) };
  } catch {
    return undefined;
  }
}

/** Only variables that stand in the pod itself: the container's real ones are not ours to read. */
export function staticCommand(command: readonly string[], container: Container): string[] {
  const values = new Map<string, string>();
  for (const { name, value } of container.env ?? []) if (value !== undefined) values.set(name, value);
  return command.map((text) => expand(text, values));
}

async function untilAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
