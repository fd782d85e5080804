import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { keys, type TimedMetadata, useMetadata } from "../../api/queries.ts";
import { useServerNow } from "../../api/server-time.ts";
import { systemClock } from "../../clock.ts";
import { ClockIcon } from "../../components/icons.tsx";
import { Notice } from "../../components/notice.tsx";
import { formatCountdown, isNever } from "../../logic/countdown.ts";
import { texts } from "../../texts.ts";

export type CompetitionPeriod = "before" | "during" | "after";

/** Everybody waits for the same second; their requests are spread over this time. */
const spreadMs = 2_000;

export function useCompetitionPeriod(): CompetitionPeriod | undefined {
  const { data: metadata } = useMetadata();
  const now = useServerNow();
  if (!metadata) return undefined;
  if (now < Date.parse(metadata.start)) return "before";
  return now >= Date.parse(metadata.end) ? "after" : "during";
}

/** A countdown before the competition, a word of thanks after it, nothing in between. */
export function CompetitionNotice() {
  const { data: metadata } = useMetadata();
  const period = useCompetitionPeriod();
  if (!metadata) return null;
  if (period === "before") return <Countdown metadata={metadata} />;
  if (period !== "after" || isNever(metadata.end)) return null;
  return (
    <Notice title={texts.competition.over}>
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

const timeFormat = new Intl.DateTimeFormat(undefined, { dateStyle: "long", timeStyle: "short" });

function formatTime(time: string): string {
  return timeFormat.format(new Date(time));
}
