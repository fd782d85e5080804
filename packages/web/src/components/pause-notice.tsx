import type { Metadata } from "@berg/api/wire";
import { texts } from "../texts.ts";
import { Notice } from "./notice.tsx";
import { formatTime } from "./time.tsx";

export function PauseNotice({ metadata: { pauseEnd } }: { metadata: Pick<Metadata, "pauseEnd"> }) {
  return (
    <Notice tone="warning" title={texts.competition.paused}>
      <p>{pauseEnd === null ? texts.competition.pausedOpen : texts.competition.pausedUntil(formatTime(pauseEnd))}</p>
    </Notice>
  );
}
