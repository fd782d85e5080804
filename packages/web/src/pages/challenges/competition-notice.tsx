import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { keys, type TimedMetadata, useMetadata } from "../../api/queries.ts";
import { useServerNow } from "../../api/server-time.ts";
import { systemClock } from "../../clock.ts";
import { ClockIcon } from "../../components/icons.tsx";
import { Notice } from "../../components/notice.tsx";
import { PauseNotice } from "../../components/pause-notice.tsx";
import { formatTime } from "../../components/time.tsx";
import { useCompetitionPeriod } from "../../components/use-competition-period.ts";
import { formatCountdown, isNever } from "../../logic/countdown.ts";
import { texts } from "../../texts.ts";

/** Everybody waits for the same second; their requests are spread over this time. */
const spreadMs = 2_000;

/** A countdown before the competition, the pause, a word of thanks after it; else nothing. */
export function CompetitionNotice() {
  const { data: metadata } = useMetadata();
  const period = useCompetitionPeriod();
  if (!metadata) return null;
  if (period === "before") return <Countdown metadata={metadata} />;
  if (period === "paused") return <PauseNotice metadata={metadata} />;
  if ((period !== "over" && period !== "practice") || isNever(metadata.end)) return null;
  return (
    <Notice title={period === "over" ? texts.competition.over : texts.competition.practice}>
      <p>{texts.competition.overDetail(formatTime(metadata.end))}</p>
    </Notice>
  );
}

function Countdown({ metadata }: { metadata: TimedMetadata }) {
  const left = Date.parse(metadata.start) - useServerNow();
  const queries = useQueryClient();
  // It is rendered until the start, so that its removal is the moment at which the challenges become visible.
  useEffect(() => {
    return () => {
      systemClock.setTimer(systemClock.random() * spreadMs, () => {
        void queries.invalidateQueries({ queryKey: keys.challenges });
      });
    };
  }, [queries]);
  return (
    <section className="countdown panel">
      <ClockIcon />
      <p>{texts.competition.startsIn}</p>
      <p className="countdown-time" role="timer">
        {formatCountdown(left)}
      </p>
      <p className="muted">{texts.competition.startsAt(formatTime(metadata.start))}</p>
    </section>
  );
}
