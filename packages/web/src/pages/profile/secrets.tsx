/** What signs a player in, and can be read only in the moment in which it is made. */
import { useReplaceLink, useResetApiKey } from "../../api/account.ts";
import { Button } from "../../components/button.tsx";
import { ConfirmButton } from "../../components/confirm-button.tsx";
import { CopyField } from "../../components/copy-field.tsx";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { accountTexts } from "../../texts-account.ts";

export function ApiKey({ placeholder }: { placeholder: string | null }) {
  const reset = useResetApiKey();
  return (
    <>
      {reset.data !== undefined && <NewSecret label={accountTexts.profile.apiKeyNew} text={reset.data} />}
      {reset.data === undefined && (
        <p>
          {placeholder === null ? (
            accountTexts.profile.apiKeyNone
          ) : (
            <>
              {accountTexts.profile.apiKeyCurrent} <code>{placeholder}</code>
            </>
          )}
        </p>
      )}
      <ProblemNotice error={reset.error} />
      <div className="actions">
        {placeholder === null ? (
          <Button isPending={reset.isPending} onClick={() => reset.mutate()}>
            {accountTexts.profile.apiKeyCreate}
          </Button>
        ) : (
          <ConfirmButton
            text={accountTexts.profile.apiKeyReplace}
            pendingText={accountTexts.profile.replacePending}
            isPending={reset.isPending}
            title={accountTexts.profile.apiKeyReplaceTitle}
            confirmText={accountTexts.profile.apiKeyReplace}
            cancelText={accountTexts.profile.cancel}
            onConfirm={() => reset.mutate()}
          >
            <p>{accountTexts.profile.apiKeyReplaceDetail}</p>
          </ConfirmButton>
        )}
      </div>
    </>
  );
}

export function SignInLink() {
  const replace = useReplaceLink();
  return (
    <>
      {replace.data && <NewSecret label={accountTexts.profile.linkNew} text={replace.data.link} />}
      <ProblemNotice error={replace.error} />
      <div className="actions">
        <ConfirmButton
          text={accountTexts.profile.linkReplace}
          pendingText={accountTexts.profile.replacePending}
          isPending={replace.isPending}
          title={accountTexts.profile.linkReplaceTitle}
          confirmText={accountTexts.profile.linkReplace}
          cancelText={accountTexts.profile.cancel}
          onConfirm={() => replace.mutate()}
        >
          <p>{accountTexts.profile.linkReplaceDetail}</p>
        </ConfirmButton>
      </div>
    </>
  );
}

function NewSecret({ label, text }: { label: string; text: string }) {
  return (
    <div className="new-secret" role="status">
      <p>
        <strong>{label}</strong> {accountTexts.profile.shownOnce}
      </p>
      <CopyField text={text} />
    </div>
  );
}
