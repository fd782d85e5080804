/** The server's clock, second by second. */
import { useSyncExternalStore } from "react";
import { systemClock } from "../clock.ts";
import { useMetadata } from "./queries.ts";

/** The server's time in ms since 1970. The component renders again each second. */
export function useServerNow(): number {
  const { data: metadata } = useMetadata();
  const localNow = useSyncExternalStore(subscribe, currentSecond);
  return localNow + (metadata?.clockOffsetMs ?? 0);
}

/** Whole seconds, so that two reads in one render agree. */
function currentSecond(): number {
  return Math.floor(systemClock.now() / 1000) * 1000;
}

// One timer for all components: they change in the same frame.
let cancelTimer = () => {};
const listeners = new Set<() => void>();

function tick(): void {
  cancelTimer();
  cancelTimer = systemClock.setTimer(1000 - (systemClock.now() % 1000), tick);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (listeners.size === 1) {
    // Browsers slow timers down in background tabs: the time must be right as soon as it is seen again.
    document.addEventListener("visibilitychange", tick);
    tick();
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    document.removeEventListener("visibilitychange", tick);
    cancelTimer();
  };
}
