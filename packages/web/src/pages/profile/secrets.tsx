/** What signs a player in, and can be read only in the moment in which it is made. */
import { useReplaceLink, useResetApiKey } from "../../api/account.ts";
import { Button } from "../../components/button.tsx";
import { ConfirmButton } from "../../components/confirm-button.tsx";
import { CopyField } from "../../components/copy-field.tsx";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { texts } from "../../texts.ts";

export function ApiKey({ placeholder }: { placeholder: string | null }) {
  const reset = useResetApiKey();
  return (
    <>
      {reset.data !== undefined && <NewSecret label={texts.profile.apiKeyNew} text={reset.data} />}
      {reset.data === undefined && (
        <p>
          {placeholder === null ? (
            texts.profile.apiKeyNone
          ) : (
            <>
              {texts.profile.apiKeyCurrent} <code>{placeholder}</code>
            </>
          )}
        </p>
      )}
      <ProblemNotice error={reset.error} />
      <div className="actions">
        {placeholder === null ? (
          <Button isPending={reset.isPending} onClick={() => reset.mutate()}>
            {texts.profile.apiKeyCreate}
          </Button>
        ) : (
          <ConfirmButton
            text={texts.profile.apiKeyReplace}
            pendingText={texts.profile.replacePending}
            isPending={reset.isPending}
            title={texts.profile.apiKeyReplaceTitle}
            confirmText={texts.profile.apiKeyReplace}
            cancelText={texts.profile.cancel}
            onConfirm={() => reset.mutate()}
          >
            <p>{texts.profile.apiKeyReplaceDetail}</p>
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
      {replace.data && <NewSecret label={texts.profile.linkNew} text={replace.data.link} />}
      <ProblemNotice error={replace.error} />
      <div className="actions">
        <ConfirmButton
          text={texts.profile.linkReplace}
          pendingText={texts.profile.replacePending}
          isPending={replace.isPending}
          title={texts.profile.linkReplaceTitle}
          confirmText={texts.profile.linkReplace}
          cancelText={texts.profile.cancel}
          onConfirm={() => replace.mutate()}
        >
          <p>{texts.profile.linkReplaceDetail}</p>
        </ConfirmButton>
      </div>
    </>
  );
}

function NewSecret({ label, text }: { label: string; text: string }) {
  return (
    <div className="new-secret" role="status">
      <p>
        <strong>{label}.</strong> {texts.profile.shownOnce}
      </p>
      <CopyField text={text} />
    </div>
  );
}
