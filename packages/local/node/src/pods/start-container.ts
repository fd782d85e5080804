/** Starts a container that was made: process, then hook. Each step fails by its own name. */
import { errorText } from "@berg/kube";
import { runHook } from "./hooks.ts";
import { killContainer } from "./kill-container.ts";
import { type Starting, type StartSite, tellOf } from "./make-container.ts";
import type { Tell } from "./pod-images.ts";
import { engineWords, failed, StartFailure } from "./start-failure.ts";
import { reasons, texts } from "./vocabulary.ts";

export async function startContainer(
  site: StartSite,
  starting: Starting,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  const tell = tellOf(site, starting);
  try {
    await engineStart(site, id, tell);
    tell("Normal", "Started", texts.started);
    await postStart(site, starting, id, tell, signal);
  } finally {
    await site.view.refresh(id);
  }
}

async function engineStart({ engine }: StartSite, id: string, tell: Tell): Promise<void> {
  try {
    await engine.startContainer(id);
  } catch (error) {
    throw failed(tell, reasons.run, engineWords(error, id), error, id);
  }
}

async function postStart(
  site: StartSite,
  starting: Starting,
  id: string,
  tell: Tell,
  signal: AbortSignal,
): Promise<void> {
  const { pod, container } = starting;
  const { engine, clock, events, place } = site;
  const hook = container.lifecycle?.postStart;
  if (!hook) return;
  // It may take long, and the container runs meanwhile.
  await site.view.refresh(id);
  const around = { engine, clock, pod, container, id, podIP: place.podIP };
  try {
    await runHook(hook, around, signal);
  } catch (error) {
    signal.throwIfAborted();
    tell("Warning", "FailedPostStartHook", "PostStartHook failed");
    const graceSeconds = pod.spec?.terminationGracePeriodSeconds ?? 30;
    await killContainer({ ...around, events, message: "FailedPostStartHook", graceSeconds }, signal);
    throw new StartFailure(reasons.postStart, errorText(error), { cause: error });
  }
}
