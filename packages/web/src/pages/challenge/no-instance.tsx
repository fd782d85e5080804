import type { Challenge, Instance } from "@berg/api/wire";
import { Link } from "wouter";
import { useStartInstance } from "../../api/mutations.ts";
import { useChallengeTitle, useMetadata } from "../../api/queries.ts";
import { useServerNow } from "../../api/server-time.ts";
import { Button } from "../../components/button.tsx";
import { Notice } from "../../components/notice.tsx";
import { PauseNotice } from "../../components/pause-notice.tsx";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { useCompetitionPeriod } from "../../components/use-competition-period.ts";
import { isOpen } from "../../logic/competition.ts";
import { formatCountdown } from "../../logic/countdown.ts";
import { stateOf } from "../../logic/instance-state.ts";
import { texts } from "../../texts.ts";

export function SignedOut() {
  return (
    <>
      <p>{texts.instance.signedOut}</p>
      <div className="actions">
        <Link href="/sign-in" className="button button-secondary">
          {texts.instance.howTo}
        </Link>
      </div>
    </>
  );
}

/** Nothing of this challenge runs. `other` is the player's instance of another one, if there is any. */
export function NoInstance({ challenge, other }: { challenge: Challenge; other: Instance }) {
  const start = useStartInstance();
  const otherState = stateOf(other);
  const period = useCompetitionPeriod();
  const isReplacing = otherState === "running" || otherState === "starting";
  return (
    <>
      {isOpen(period) && <p>{texts.instance.explain}</p>}
      {otherState !== "none" && <OtherInstance other={other} />}
      <ProblemNotice error={start.error} />
      {isOpen(period) ? (
        <div className="actions">
          <Button
            look="primary"
            isPending={start.isPending}
            pendingText={texts.instance.startPending}
            onClick={() => start.mutate({ challenge: challenge.name, replace: isReplacing })}
          >
            {isReplacing ? texts.instance.replace : texts.instance.start}
          </Button>
        </div>
      ) : (
        <ClosedNotice />
      )}
    </>
  );
}

/** Why nothing can be started now. */
function ClosedNotice() {
  const { data: metadata } = useMetadata();
  const now = useServerNow();
  const period = useCompetitionPeriod();
  if (!metadata || period === undefined || isOpen(period)) return null;
  if (period === "paused") return <PauseNotice metadata={metadata} />;
  if (period === "before") {
    const left = formatCountdown(Date.parse(metadata.start) - now);
    return (
      <Notice title={texts.competition.notStarted}>
        <p className="tabular">{texts.competition.notStartedDetail(left)}</p>
      </Notice>
    );
  }
  return (
    <Notice title={texts.competition.over}>
      <p>{texts.competition.overClosed}</p>
    </Notice>
  );
}

function OtherInstance({ other }: { other: Instance }) {
  const name = useChallengeTitle(other.name);
  const state = stateOf(other);
  const text =
    state === "stopping"
      ? texts.instance.otherStopping(name)
      : state === "failed"
        ? texts.instance.otherFailed(name)
        : texts.instance.otherRunning(name);
  return (
    <Notice tone={state === "running" || state === "starting" ? "warning" : "info"}>
      <p>{text}</p>
      <p>
        <Link href={`/challenges/${encodeURIComponent(other.name)}`}>{texts.instance.goToOther(name)}</Link>
      </p>
    </Notice>
  );
}
