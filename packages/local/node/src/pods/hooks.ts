/** postStart and preStop: what a container wants done right after its start, and before its end. */
import { type Clock, errorText, type Pod, sleep } from "@berg/kube";
import type { Engine } from "@berg/local-engine";
import { goQuote } from "../containers/field-values.ts";
import { type Container, type Handler, podText } from "../containers/shapes.ts";
import { runCommand } from "../probes/exec-probe.ts";
import { httpProbe, httpTarget } from "../probes/network-probes.ts";

export interface HookSite {
  engine: Engine;
  clock: Clock;
  pod: Pod;
  container: Container;
  id: string;
  podIP: string;
}

const httpTimeoutMs = 30_000;

/** Throws, in kubelet's words, where it fails. */
export async function runHook(handler: Handler, site: HookSite, signal: AbortSignal): Promise<void> {
  if (handler.exec) return execHook(handler.exec.command ?? [], site, signal);
  if (handler.sleep) return sleep(site.clock, handler.sleep.seconds * 1000, signal);
  if (handler.httpGet) {
    const target = httpTarget(handler.httpGet, site.container, site.podIP);
    const outcome = await httpProbe(target, { clock: site.clock, timeoutMs: httpTimeoutMs, signal });
    if (outcome.result !== "failure" && outcome.result !== "error") return;
    const why = outcome.result === "failure" ? outcome.output : outcome.message;
    const { pod, container } = site;
    throw new Error(
      `HTTP lifecycle hook (${handler.httpGet.path}) for Container "${container.name}" in Pod "${podText(pod)}" failed - error: ${why}`,
    );
  }
  throw new Error("this node cannot run such a hook: use exec, httpGet or sleep");
}

async function execHook(command: readonly string[], site: HookSite, signal: AbortSignal): Promise<void> {
  const { engine, clock, pod, container, id } = site;
  const fail = (why: string, output: string) =>
    new Error(
      `Exec lifecycle hook ([${command.join(" ")}]) for Container "${container.name}" in Pod "${podText(pod)}" failed - error: ${why}, message: ${goQuote(output)}`,
    );
  const result = await runCommand(engine, id, command, { clock, timeoutMs: undefined, signal }).catch((error) => {
    signal.throwIfAborted();
    throw fail(errorText(error), "");
  });
  if (result.exitCode !== 0)
    throw fail(`command '${command.join(" ")}' exited with ${result.exitCode}: `, result.output);
}
