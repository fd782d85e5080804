import type { Session } from "@berg/api/wire";
import { useEndSessions, useSessions } from "../../api/account.ts";
import { Button } from "../../components/button.tsx";
import { ConfirmButton } from "../../components/confirm-button.tsx";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { problemOf } from "../../components/query-problem.tsx";
import { formatTime } from "../../components/time.tsx";
import { describeUserAgent } from "../../logic/user-agent.ts";
import { accountTexts } from "../../texts-account.ts";

export function Sessions() {
  const sessions = useSessions();
  const endOthers = useEndSessions();
  if (!sessions.data) {
    const problem = problemOf(sessions);
    if (problem) return <ProblemNotice error={problem} />;
    return (
      <div role="status">
        <span className="visually-hidden">{accountTexts.profile.sessionsLoading}</span>
        <div className="skeleton skeleton-line" />
      </div>
    );
  }
  // The current one first, then the newest.
  const sorted = sessions.data.toSorted(
    (a, b) => Number(b.isCurrent) - Number(a.isCurrent) || Date.parse(b.createdAt) - Date.parse(a.createdAt),
  );
  return (
    <>
      <ul className="session-list">
        {sorted.map((session) => (
          <SessionRow key={session.id} session={session} />
        ))}
      </ul>
      <ProblemNotice error={endOthers.error} />
      {sorted.some(({ isCurrent }) => !isCurrent) && (
        <div className="actions">
          <ConfirmButton
            text={accountTexts.profile.sessionsEndOthers}
            pendingText={accountTexts.profile.sessionsEndOthers}
            isPending={endOthers.isPending}
            title={accountTexts.profile.sessionsEndTitle}
            confirmText={accountTexts.profile.sessionsEndOthers}
            cancelText={accountTexts.profile.cancel}
            onConfirm={() => endOthers.mutate(undefined)}
          >
            <p>{accountTexts.profile.sessionsEndDetail}</p>
          </ConfirmButton>
        </div>
      )}
    </>
  );
}

function SessionRow({ session: { id, createdAt, expiresAt, userAgent, address, isCurrent } }: { session: Session }) {
  const end = useEndSessions();
  const browser = describeUserAgent(userAgent);
  return (
    <li className="session">
      <div className="session-text">
        <p title={userAgent}>
          {browser} {isCurrent && <span className="tag tag-strong">{accountTexts.profile.sessionCurrent}</span>}
        </p>
        <p className="muted">
          {accountTexts.profile.sessionPeriod(formatTime(createdAt), formatTime(expiresAt), address)}
        </p>
        <ProblemNotice error={end.error} />
      </div>
      {!isCurrent && (
        <Button
          aria-label={accountTexts.profile.sessionEndLabel(browser)}
          isPending={end.isPending}
          onClick={() => end.mutate(id)}
        >
          {accountTexts.profile.sessionEnd}
        </Button>
      )}
    </li>
  );
}
