import type { Instance } from "@berg/api/wire";
import { Link } from "wouter";
import { useChallengeTitle, useInstance } from "../api/queries.ts";
import { useServerNow } from "../api/server-time.ts";
import { formatCountdown } from "../logic/countdown.ts";
import { isEnding, stateOf, timeLeft } from "../logic/instance-state.ts";
import { texts } from "../texts.ts";
import { StateDot } from "./state-dot.tsx";

/**
 * The player's instance, on every page. It stands in the header, and on phones at the lower edge of the screen: both
 * places are kept free for it, so that nothing moves when it appears.
 */
export function InstanceBar() {
  const { data: instance } = useInstance();
  const title = useChallengeTitle(instance?.name ?? "");
  const state = stateOf(instance);
  if (!instance || state === "none") return <div className="instance-bar-space" />;
  return (
    <aside className="instance-bar-space" aria-label={texts.instance.barLabel}>
      <div className={`instance-bar instance-bar-${state}`}>
        <StateDot state={state} />
        <Link href={`/challenges/${encodeURIComponent(instance.name)}`} className="instance-bar-name">
          {title}
        </Link>
        <span className="instance-bar-state">{texts.instance.states[state]}</span>
        {state === "running" && <TimeLeft instance={instance} />}
      </div>
    </aside>
  );
}

function TimeLeft({ instance }: { instance: Instance }) {
  const now = useServerNow();
  const left = timeLeft(instance, now);
  if (left === undefined) return null;
  return (
    <span className={isEnding(instance, now) ? "instance-bar-time is-ending" : "instance-bar-time"} role="timer">
      {formatCountdown(left)} <span className="visually-hidden">{texts.instance.timeLeft}</span>
    </span>
  );
}
