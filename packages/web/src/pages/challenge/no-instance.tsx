import type { Challenge, Instance } from "@berg/api/wire";
import { Link } from "wouter";
import { useStartInstance } from "../../api/mutations.ts";
import { useChallengeTitle } from "../../api/queries.ts";
import { Button } from "../../components/button.tsx";
import { Notice } from "../../components/notice.tsx";
import { ProblemNotice } from "../../components/problem-notice.tsx";
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
  const isReplacing = otherState === "running" || otherState === "starting";
  return (
    <>
      <p>{texts.instance.explain}</p>
      {otherState !== "none" && <OtherInstance other={other} />}
      <ProblemNotice error={start.error} />
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
    </>
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
