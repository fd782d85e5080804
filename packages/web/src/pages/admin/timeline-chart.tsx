import { useInstanceTimeline } from "../../api/admin.ts";
import { useServerNow } from "../../api/server-time.ts";
import { Notice } from "../../components/notice.tsx";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { problemOf } from "../../components/query-problem.tsx";
import { formatDuration } from "../../logic/countdown.ts";
import { type StageProgress, stageProgress } from "../../logic/stages.ts";
import { texts } from "../../texts.ts";
import { adminTexts } from "../../texts-admin.ts";

/** How a start went: one bar a stage, from where it began to where it ended. */
export function TimelineChart({ id, isOpen }: { id: string; isOpen: boolean }) {
  const query = useInstanceTimeline(id, isOpen);
  const now = useServerNow();
  const { data: timeline } = query;
  if (!timeline) {
    const problem = problemOf(query);
    return problem ? <ProblemNotice error={problem} /> : <div className="skeleton skeleton-chart" />;
  }
  // A start that failed or was stopped does not go on.
  const end = timeline.failure ? Date.parse(timeline.failure.at) : now;
  const progress = stageProgress(timeline.stages, end).map((stage) =>
    stage.state === "current" && !isOpen ? { stage: stage.stage, state: "upcoming" as const } : stage,
  );
  const total = Math.max(1, ...progress.map(({ beganAfterMs = 0, tookMs = 0 }) => beganAfterMs + tookMs));
  return (
    <>
      <ol className="chart">
        {/* The request is the moment at which the others begin. */}
        {progress.slice(1).map((stage) => (
          <Bar key={stage.stage} stage={stage} total={total} />
        ))}
      </ol>
      {timeline.failure && (
        <Notice tone="danger" title={adminTexts.failedAt(timeline.failure.reason)}>
          <p>{timeline.failure.message}</p>
        </Notice>
      )}
    </>
  );
}

function Bar({ stage: { stage, state, beganAfterMs, tookMs }, total }: { stage: StageProgress; total: number }) {
  const isReached = beganAfterMs !== undefined && tookMs !== undefined;
  return (
    <li className={`chart-row chart-${state}`}>
      <span>{texts.instance.stages[stage][state === "current" ? "current" : "done"]}</span>
      <svg className="chart-track" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">
        {isReached && (
          <rect x={(beganAfterMs / total) * 1000} width={Math.max(6, (tookMs / total) * 1000)} height="10" />
        )}
      </svg>
      <span className="chart-time">{isReached ? formatDuration(tookMs) : adminTexts.notReached}</span>
    </li>
  );
}
