import type { Challenge } from "@berg/api/wire";
import { useStopInstance } from "../../api/mutations.ts";
import { ConfirmButton } from "../../components/confirm-button.tsx";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { texts } from "../../texts.ts";

/** Stops the instance, after a question. */
export function StopButton({ challenge, text }: { challenge: Challenge; text: string }) {
  const stop = useStopInstance();
  return (
    <>
      <ConfirmButton
        text={text}
        pendingText={texts.instance.stopPending}
        isPending={stop.isPending}
        title={texts.instance.stopTitle(challenge.displayName)}
        confirmText={texts.instance.stopConfirm}
        cancelText={texts.instance.stopCancel}
        onConfirm={() => stop.mutate()}
      >
        <p>{texts.instance.stopDetail}</p>
      </ConfirmButton>
      <ProblemNotice error={stop.error} />
    </>
  );
}
