import { useState } from "react";
import { useLocation } from "wouter";
import { useDeleteAccount } from "../../api/account.ts";
import { Button } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { FormField } from "../../components/form-field.tsx";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { accountTexts } from "../../texts-account.ts";

/** The name has to be typed: of all that a player can do here, only this cannot be made good. */
export function DeleteAccount({ name }: { name: string }) {
  const [isAsking, setIsAsking] = useState(false);
  const [typed, setTyped] = useState("");
  const [, navigate] = useLocation();
  const deleteAccount = useDeleteAccount(() => navigate("/challenges"));
  const close = () => {
    setIsAsking(false);
    setTyped("");
  };
  return (
    <>
      <ProblemNotice error={deleteAccount.error} />
      <div className="actions">
        <Button
          look="danger-outline"
          isPending={deleteAccount.isPending}
          pendingText={accountTexts.profile.deletePending}
          onClick={() => setIsAsking(true)}
        >
          {accountTexts.profile.delete}
        </Button>
      </div>
      {isAsking && (
        <ConfirmDialog
          title={accountTexts.profile.deleteTitle}
          confirmText={accountTexts.profile.deleteConfirm}
          cancelText={accountTexts.profile.cancel}
          isDisabled={typed.trim() !== name.trim()}
          onClose={close}
          onConfirm={() => deleteAccount.mutate()}
        >
          <p>{accountTexts.profile.deleteDetail}</p>
          <FormField label={accountTexts.profile.deleteType(name)}>
            {(props) => (
              <input
                {...props}
                className="field"
                autoComplete="off"
                value={typed}
                onChange={({ target }) => setTyped(target.value)}
              />
            )}
          </FormField>
        </ConfirmDialog>
      )}
    </>
  );
}
