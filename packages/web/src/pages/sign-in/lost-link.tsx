import { useQuery } from "@tanstack/react-query";
import { useMailLostLink } from "../../api/account.ts";
import { signInOptionsQuery } from "../../api/queries.ts";
import { Button } from "../../components/button.tsx";
import { EmailField } from "../../components/email-field.tsx";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { useEmailForm } from "../../components/use-email-form.ts";
import { accountTexts } from "../../texts-account.ts";

/** Offers a new link by mail. Nothing where the server sends no mail. */
export function LostLink() {
  const { data: options } = useQuery(signInOptionsQuery);
  return options?.canMailLinks ? <LostLinkForm /> : null;
}

function LostLinkForm() {
  const ask = useMailLostLink();
  const { email, setEmail, fieldError, otherError, submit } = useEmailForm({
    initial: "",
    isRequired: true,
    error: ask.error,
    isPending: ask.isPending,
    onSubmit: (given) => ask.mutate(given),
  });
  return (
    <details className="lost-link">
      <summary>{accountTexts.lostLink.title}</summary>
      <form className="form" noValidate onSubmit={submit}>
        <p>{accountTexts.lostLink.detail}</p>
        <EmailField value={email} onChange={setEmail} error={fieldError} isRequired />
        <ProblemNotice error={otherError} />
        <Button type="submit" isPending={ask.isPending} pendingText={accountTexts.lostLink.pending}>
          {accountTexts.lostLink.submit}
        </Button>
        <p role="status">{ask.isSuccess && accountTexts.lostLink.done}</p>
      </form>
    </details>
  );
}
