import type { CurrentPlayer } from "@berg/api/wire";
import { useUpdatePlayer } from "../../api/account.ts";
import { Button } from "../../components/button.tsx";
import { EmailField } from "../../components/email-field.tsx";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { useEmailForm } from "../../components/use-email-form.ts";
import { accountTexts } from "../../texts-account.ts";

/** Where lost links are sent. An empty field removes the address. */
export function EmailAddress({ player }: { player: CurrentPlayer }) {
  const update = useUpdatePlayer();
  const { email, setEmail, fieldError, otherError, submit } = useEmailForm({
    initial: player.email ?? "",
    error: update.error,
    isPending: update.isPending,
    onSubmit: (given) => update.mutate({ attributes: {}, email: given === "" ? null : given }),
  });
  return (
    <form className="form" noValidate onSubmit={submit}>
      <EmailField value={email} onChange={setEmail} error={fieldError} hint={accountTexts.email.hint} />
      <ProblemNotice error={otherError} />
      <div className="actions">
        <Button look="primary" type="submit" isPending={update.isPending} pendingText={accountTexts.profile.saving}>
          {accountTexts.profile.save}
        </Button>
        <span role="status" className="muted">
          {update.isSuccess && accountTexts.profile.saved}
        </span>
      </div>
    </form>
  );
}
