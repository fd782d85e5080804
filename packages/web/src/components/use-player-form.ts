import { type FormEvent, useEffect, useRef, useState } from "react";
import { ApiProblem } from "../api/client.ts";
import { errorsOfProblem, type FormErrors, findFormErrors, type PlayerForm } from "../logic/form-errors.ts";
import type { PlayerAttribute } from "../logic/player-attributes.ts";

interface PlayerFormOptions {
  initial: PlayerForm;
  asked: readonly PlayerAttribute[];
  /** How the last submission ended. */
  error: Error | null;
  isPending: boolean;
  onSubmit: (form: PlayerForm) => void;
}

/** The name and attributes of a player in a form: its values, the errors at its fields, and the focus on the first error. */
export function usePlayerForm({ initial, asked, error, isPending, onSubmit }: PlayerFormOptions) {
  const formRef = useRef<HTMLFormElement>(null);
  const [form, setForm] = useState(initial);
  const [found, setFound] = useState<FormErrors>({});
  const optional = ["code", "email"].filter((field) => field in initial);
  const fields = ["name", ...optional, ...asked.map(({ name }) => `attributes.${name}`)];
  const answered = error instanceof ApiProblem ? errorsOfProblem(error, fields) : {};
  const isAtField = Object.keys(answered).length > 0;
  const errors = { ...answered, ...found };

  // After a submission, whether the errors were found here or by the server.
  useEffect(() => {
    if (Object.keys(found).length > 0 || error) {
      formRef.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus();
    }
  }, [found, error]);

  return {
    formRef,
    form,
    change: (changes: Partial<PlayerForm>) => setForm({ ...form, ...changes }),
    errors,
    /** What belongs to no field. */
    otherError: isAtField ? null : error,
    submit: (event: FormEvent) => {
      event.preventDefault();
      if (isPending) return;
      const missing = findFormErrors(form, asked);
      setFound(missing);
      if (Object.keys(missing).length === 0) onSubmit(form);
    },
  };
}
