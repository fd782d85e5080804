import { accountTexts } from "../texts-account.ts";
import { FormField } from "./form-field.tsx";

interface EmailFieldProps {
  value: string;
  onChange: (value: string) => void;
  error: string | undefined;
  hint?: string;
  isRequired?: boolean;
}

export function EmailField({ value, onChange, error, hint, isRequired = false }: EmailFieldProps) {
  return (
    <FormField
      label={accountTexts.email.label}
      mark={isRequired ? accountTexts.registration.required : accountTexts.registration.optional}
      {...(hint !== undefined && { hint })}
      error={error}
    >
      {(props) => (
        <input
          {...props}
          className="field"
          name="email"
          type="email"
          autoComplete="email"
          autoCapitalize="none"
          spellCheck={false}
          required={isRequired}
          maxLength={254}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </FormField>
  );
}
