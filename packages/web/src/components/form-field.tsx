import { type ReactNode, useId } from "react";

interface FormFieldProps {
  label: string;
  /** Beside the label: whether it is required. */
  mark?: string;
  hint?: string | undefined;
  error?: string | undefined;
  /** Renders the input with what ties it to its label, hint and error. */
  children: (props: { id: string; "aria-describedby"?: string; "aria-invalid"?: true }) => ReactNode;
}

export function FormField({ label, mark, hint, error, children }: FormFieldProps) {
  const id = useId();
  const isHinted = hint !== undefined && hint !== "";
  const described = [isHinted && `${id}-hint`, error !== undefined && `${id}-error`].filter(Boolean).join(" ");
  return (
    <div className="form-field">
      <label htmlFor={id} className="form-label">
        {label} {mark !== undefined && <span className="form-mark">{mark}</span>}
      </label>
      {children({
        id,
        ...(described !== "" && { "aria-describedby": described }),
        ...(error !== undefined && { "aria-invalid": true as const }),
      })}
      {error !== undefined && (
        <p id={`${id}-error`} className="form-error">
          {error}
        </p>
      )}
      {isHinted && (
        <p id={`${id}-hint`} className="form-hint">
          {hint}
        </p>
      )}
    </div>
  );
}
