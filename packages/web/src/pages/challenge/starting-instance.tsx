import type { Challenge, Instance } from "@berg/api/wire";
import { useTimeline } from "../../api/queries.ts";
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
  const progress = useStageProgress(instance);
  return (
    <>
      <ol className="stages" aria-label={texts.instance.stagesLabel}>
        {progress.map((stage) => (
          <StageRow key={stage.stage} progress={stage} />
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

/** From the timeline, which knows more, or from the instance until that was read. */
export function useStageProgress(instance: Instance): StageProgress[] {
  const timeline = useTimeline(instance, true);
  return stageProgress(timeline?.stages ?? instance.stages, useServerNow());
}

function StageRow({ progress: { stage, state, tookMs } }: { progress: StageProgress }) {
  return (
    <li className={`stage stage-${state}`} aria-current={state === "current" ? "step" : undefined}>
      <span className="stage-mark" aria-hidden="true">
        {state === "done" && <CheckIcon />}
      </span>
      <span>
        {texts.instance.stages[stage][state]}
        <span className="visually-hidden">{texts.instance.stageStates[state]}</span>
      </span>
      {tookMs !== undefined && tookMs >= 1000 && <span className="stage-time">{formatElapsed(tookMs)}</span>}
    </li>
  );
}
