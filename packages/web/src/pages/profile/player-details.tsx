import type { CurrentPlayer } from "@berg/api/wire";
import { useUpdatePlayer } from "../../api/account.ts";
import { AttributeFields } from "../../components/attribute-fields.tsx";
import { Button } from "../../components/button.tsx";
import { FormField } from "../../components/form-field.tsx";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { usePlayerForm } from "../../components/use-player-form.ts";
import { attributeErrors } from "../../logic/form-errors.ts";
import type { PlayerAttribute } from "../../logic/player-attributes.ts";
import { accountTexts } from "../../texts-account.ts";

export function PlayerDetails({ player, asked }: { player: CurrentPlayer; asked: readonly PlayerAttribute[] }) {
  const update = useUpdatePlayer();
  const { formRef, form, change, errors, otherError, submit } = usePlayerForm({
    initial: { name: player.name, attributes: player.attributes },
    asked,
    error: update.error,
    isPending: update.isPending,
    onSubmit: ({ name, attributes }) =>
      update.mutate({ ...(name !== player.name && { name: name.trim() }), attributes }),
  });
  return (
    <form className="form" ref={formRef} noValidate onSubmit={submit}>
      <FormField label={accountTexts.registration.name} mark={accountTexts.registration.required} error={errors.name}>
        {(props) => (
          <input
            {...props}
            className="field"
            name="name"
            autoComplete="nickname"
            required
            maxLength={64}
            value={form.name}
            onChange={({ target }) => change({ name: target.value })}
          />
        )}
      </FormField>
      <AttributeFields
        asked={asked}
        values={form.attributes}
        onChange={(attributes) => change({ attributes })}
        errors={attributeErrors(errors)}
      />
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
