/** The player's instance of one challenge: which of its states is shown, and what a screen reader is told about it. */
import type { Challenge, Instance } from "@berg/api/wire";
import { useEffect, useRef } from "react";
import { useInstance, usePlayer } from "../../api/queries.ts";
import { useServerNow } from "../../api/server-time.ts";
import { StateDot } from "../../components/state-dot.tsx";
import { announcedMinutes } from "../../logic/countdown.ts";
import { type InstanceState, stateOf, timeLeft } from "../../logic/instance-state.ts";
import { texts } from "../../texts.ts";
import { FailedInstance } from "./failed-instance.tsx";
import { NoInstance, SignedOut } from "./no-instance.tsx";
import { RunningInstance } from "./running-instance.tsx";
import { StartingInstance, useStageProgress } from "./starting-instance.tsx";

export function InstancePanel({ challenge }: { challenge: Challenge }) {
  const { data: player } = usePlayer();
  const { data: current } = useInstance();
  const own = current?.name === challenge.name ? current : undefined;
  const state = stateOf(own);
  const { panelRef, headingRef } = useKeptFocus();
  return (
    <section className="panel instance-panel" ref={panelRef} aria-labelledby="instance-title">
      <header className="instance-panel-header">
        <h2 id="instance-title" className="section-title" ref={headingRef} tabIndex={-1}>
          {texts.instance.title}
        </h2>
        {player && current && (
          <span className="badge">
            <StateDot state={state} />
            {texts.instance.badges[state]}
          </span>
        )}
      </header>
      <Content challenge={challenge} own={own} state={state} />
      <Announcement instance={own} state={state} />
    </section>
  );
}

interface ContentProps {
  challenge: Challenge;
  /** The player's instance, if it is one of this challenge. */
  own: Instance | undefined;
  state: InstanceState;
}

function Content({ challenge, own, state }: ContentProps) {
  const { data: player } = usePlayer();
  const { data: current } = useInstance();
  if (player === null) return <SignedOut />;
  if (player === undefined || !current) {
    return (
      <div role="status">
        <span className="visually-hidden">{texts.instance.loading}</span>
        <div className="skeleton skeleton-line" />
        <div className="skeleton skeleton-button" />
      </div>
    );
  }
  if (!own || state === "none") return <NoInstance challenge={challenge} other={current} />;
  switch (state) {
    case "starting":
      return <StartingInstance challenge={challenge} instance={own} />;
    case "running":
      return <RunningInstance challenge={challenge} instance={own} />;
    case "stopping":
      return <p className="muted">{texts.instance.stopping}</p>;
    case "failed":
      return <FailedInstance challenge={challenge} instance={own} />;
  }
}

/** Says changes of the state and the last minutes, and nothing in between. */
function Announcement({ instance, state }: { instance: Instance | undefined; state: InstanceState }) {
  const now = useServerNow();
  const left = instance && state === "running" ? timeLeft(instance, now) : undefined;
  const minutes = left === undefined ? undefined : announcedMinutes(left);
  return (
    <p className="visually-hidden" aria-live="polite">
      {texts.instance.announceState[state]} {minutes !== undefined && texts.instance.announceMinutes(minutes)}
      {instance && state === "starting" && <CurrentStage instance={instance} />}
    </p>
  );
}

function CurrentStage({ instance }: { instance: Instance }) {
  const current = useStageProgress(instance).find(({ state }) => state === "current");
  return current && texts.instance.stages[current.stage].current;
}

/**
 * A button may be gone after its action, and the focus with it: then the heading of the panel takes it, so that keyboard
 * users stay where they are.
 */
function useKeptFocus() {
  const panelRef = useRef<HTMLElement>(null);
  const headingRef = useRef<HTMLHeadingElement>(null);
  const hadFocus = useRef(false);

  useEffect(() => {
    const onFocus = ({ target }: Event) => {
      hadFocus.current = target instanceof Node && panelRef.current?.contains(target) === true;
    };
    document.addEventListener("focusin", onFocus);
    document.addEventListener("pointerdown", onFocus);
    return () => {
      document.removeEventListener("focusin", onFocus);
      document.removeEventListener("pointerdown", onFocus);
    };
  }, []);

  // After each render, as any change of the instance may remove a button.
  useEffect(() => {
    const isLost = document.activeElement === null || document.activeElement === document.body;
    if (hadFocus.current && isLost) headingRef.current?.focus({ preventScroll: true });
  });

  return { panelRef, headingRef };
}
