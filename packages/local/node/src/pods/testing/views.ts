/** Moments in the life of a pod, for tests of what is decided and written. */
import type { Container } from "../../containers/shapes.ts";
import { makePod } from "../../containers/testing/pods.ts";
import type { Verdicts } from "../../probes/prober.ts";
import { type Memory, PodMemory } from "../memory.ts";
import type { SeenContainer } from "../seen.ts";
import type { View } from "../view.ts";

export const now = Date.parse("2026-01-01T01:00:00Z");

export function pause(changes: Partial<SeenContainer> & { attempt?: number } = {}): SeenContainer {
  const { attempt = 0, ...rest } = changes;
  return {
    ...seen("", { attempt, role: "pause", sandbox: "" }),
    id: `p${attempt}`,
    addresses: { ctf: "10.202.0.2" },
    ...rest,
  };
}

export function seen(
  name: string,
  identity: { attempt?: number; role?: "pause" | "container"; sandbox?: string } = {},
): SeenContainer {
  const { attempt = 0, role = "container", sandbox = "p0" } = identity;
  return {
    id: `${name}${attempt}`,
    identity: { node: "laptop", namespace: "ctf", pod: "web", uid: "u-1", role, container: name, attempt, sandbox },
    imageId: "sha256:1",
    status: "running",
    exitCode: 0,
    oomKilled: false,
    startedAt: now - 60_000,
    finishedAt: undefined,
    addresses: {},
    message: undefined,
  };
}

export function exited(
  container: SeenContainer,
  exitCode: number,
  agoMs = 0,
  more: Partial<SeenContainer> = {},
): SeenContainer {
  return { ...container, status: "exited", exitCode, finishedAt: now - agoMs, ...more };
}

export interface ViewChanges extends Partial<Omit<View, "verdicts" | "busy" | "seen">> {
  /** All but pauses and containers are told apart by their role. */
  seen?: readonly SeenContainer[];
  busy?: readonly string[];
  verdicts?: Readonly<Record<string, Verdicts>>;
}

export function makeView(changes: ViewChanges = {}): View {
  const { seen: all = [], busy = [], verdicts = {}, ...rest } = changes;
  return {
    pod: makePod(),
    isGone: false,
    isCleared: false,
    memory: new PodMemory() satisfies Memory,
    starting: undefined,
    now,
    ...rest,
    seen: {
      pauses: all.filter(({ identity }) => identity.role === "pause"),
      containers: all.filter(({ identity }) => identity.role === "container"),
    },
    busy: new Set(busy),
    verdicts: (id) => verdicts[id] ?? {},
  };
}

export const named = (...names: string[]): Container[] => names.map((name) => ({ name, image: "web:1" }));
