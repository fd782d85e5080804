import type { Challenge, Instance } from "@berg/api/wire";
import { useServerNow } from "../../api/server-time.ts";
import { CheckIcon } from "../../components/icons.tsx";
import { Notice } from "../../components/notice.tsx";
import { formatElapsed } from "../../logic/countdown.ts";
import { type StageProgress, stageProgress, startOf } from "../../logic/stages.ts";
import { texts } from "../../texts.ts";
import { StopButton } from "./stop-button.tsx";

export function StartingInstance({ challenge, instance }: { challenge: Challenge; instance: Instance }) {
  const beginning = startOf(instance);
  const now = useServerNow();
  return (
    <>
      <ol className="stages" aria-label={texts.instance.stagesLabel}>
        {stageProgress(instance.stages).map((progress) => (
          <StageRow key={progress.stage} progress={progress} />
        ))}
      </ol>
      {instance.message !== null && instance.message !== "" && (
        <Notice>
          <p>{instance.message}</p>
        </Notice>
      )}
      <div className="actions actions-spread">
        <span className="muted tabular">
          {beginning !== undefined && texts.instance.elapsed(formatElapsed(now - beginning))}
        </span>
        <StopButton challenge={challenge} text={texts.instance.cancel} />
      </div>
    </>
  );
}

function StageRow({ progress: { stage, state, reachedAfterMs } }: { progress: StageProgress }) {
  return (
    <li className={`stage stage-${state}`} aria-current={state === "current" ? "step" : undefined}>
      <span className="stage-mark" aria-hidden="true">
        {state === "done" && <CheckIcon />}
      </span>
      <span>
        {texts.instance.stages[stage][state]}
        <span className="visually-hidden">, {texts.instance.stageStates[state]}</span>
      </span>
      {reachedAfterMs !== undefined && reachedAfterMs >= 1000 && (
        <span className="stage-time">{formatElapsed(reachedAfterMs)}</span>
      )}
    </li>
  );
}
