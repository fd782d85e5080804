import type { Challenge } from "@berg/api/wire";
import { useState } from "react";
import { useStopInstance } from "../../api/mutations.ts";
import { Button } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { texts } from "../../texts.ts";

/** Stops the instance, after a question. */
export function StopButton({ challenge, text }: { challenge: Challenge; text: string }) {
  const [isAsking, setIsAsking] = useState(false);
  const stop = useStopInstance();
  return (
    <>
      <Button isPending={stop.isPending} pendingText={texts.instance.stopPending} onClick={() => setIsAsking(true)}>
        {text}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={texts.instance.stopTitle(challenge.displayName)}
          confirmText={texts.instance.stopConfirm}
          cancelText={texts.instance.stopCancel}
          onClose={() => setIsAsking(false)}
          onConfirm={() => stop.mutate()}
        >
          <p>{texts.instance.stopDetail}</p>
        </ConfirmDialog>
      )}
      <ProblemNotice error={stop.error} />
    </>
  );
}
