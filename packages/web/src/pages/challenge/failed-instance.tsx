import type { Challenge, Instance } from "@berg/api/wire";
import { useStartInstance, useStopInstance } from "../../api/mutations.ts";
import { Button } from "../../components/button.tsx";
import { Notice } from "../../components/notice.tsx";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { adviceFor, isWorthRetrying } from "../../logic/advice.ts";
import { texts } from "../../texts.ts";

export function FailedInstance({ challenge, instance }: { challenge: Challenge; instance: Instance }) {
  const start = useStartInstance();
  const stop = useStopInstance();
  return (
    <>
      <Notice tone="danger" title={texts.instance.failed}>
        <p>{instance.message || texts.instance.failedFallback}</p>
      </Notice>
      <div>
        <h3 className="small-title">{texts.instance.whatToTry}</h3>
        <p>{adviceFor(instance.reason)}</p>
        {instance.reason !== null && <p className="muted">{texts.instance.reason(instance.reason)}</p>}
      </div>
      <ProblemNotice error={start.error ?? stop.error} />
      <div className="actions">
        <Button
          look={isWorthRetrying(instance.reason) ? "primary" : "secondary"}
          isPending={start.isPending}
          pendingText={texts.instance.startPending}
          onClick={() => start.mutate({ challenge: challenge.name, replace: true })}
        >
          {texts.instance.tryAgain}
        </Button>
        {/* Nothing runs that could be lost, so nothing is asked. */}
        <Button isPending={stop.isPending} pendingText={texts.instance.dismissPending} onClick={() => stop.mutate()}>
          {texts.instance.dismiss}
        </Button>
      </div>
    </>
  );
}
