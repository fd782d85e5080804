import type { PlayerAttribute } from "../logic/player-attributes.ts";
import { accountTexts } from "../texts-account.ts";
import { FormField } from "./form-field.tsx";

interface AttributeFieldsProps {
  asked: readonly PlayerAttribute[];
  values: Readonly<Record<string, string>>;
  onChange: (values: Record<string, string>) => void;
  /** By the name of the attribute. */
  errors: Readonly<Record<string, string>>;
}

/** What the organiser asks of each player: one choice each. */
export function AttributeFields({ asked, values, onChange, errors }: AttributeFieldsProps) {
  return asked.map((attribute) => {
    const { name, title, description, required } = attribute;
    const chosen = attribute.values.find(({ value }) => value === values[name]);
    const seenBy = attribute.public ? accountTexts.profile.public : accountTexts.profile.private;
    return (
      <FormField
        key={name}
        label={title || name}
        mark={required ? accountTexts.registration.required : accountTexts.registration.optional}
        hint={[description, chosen?.description, seenBy].filter(Boolean).join(" ")}
        error={errors[name]}
      >
        {(props) => (
          <select
            {...props}
            className="field"
            name={name}
            required={required}
            value={chosen?.value ?? ""}
            onChange={({ target }) => {
              const { [name]: _, ...others } = values;
              onChange(target.value === "" ? others : { ...others, [name]: target.value });
            }}
          >
            <option value="">{accountTexts.registration.choose}</option>
            {attribute.values.map((choice) => (
              <option key={choice.value} value={choice.value}>
                {choice.title || choice.value}
              </option>
            ))}
          </select>
        )}
      </FormField>
    );
  });
}
