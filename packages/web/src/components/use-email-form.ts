import { type FormEvent, useState } from "react";
import { ApiProblem } from "../api/client.ts";
import { accountTexts } from "../texts-account.ts";

interface EmailFormOptions {
  initial: string;
  isRequired?: boolean;
  error: Error | null;
  isPending: boolean;
  onSubmit: (email: string) => void;
}

/** A form with an e-mail address alone. */
export function useEmailForm({ initial, isRequired = false, error, isPending, onSubmit }: EmailFormOptions) {
  const [email, setEmail] = useState(initial);
  const [isMissing, setMissing] = useState(false);
  // The detail of the server starts with the name of the field.
  const isInvalid = error instanceof ApiProblem && error.code === "invalid_request" && error.field === "email";
  return {
    email,
    setEmail,
    fieldError: isMissing ? accountTexts.registration.missing : isInvalid ? accountTexts.email.invalid : undefined,
    /** What does not belong to the field. */
    otherError: isInvalid ? null : error,
    submit: (event: FormEvent) => {
      event.preventDefault();
      if (isPending) return;
      const missing = isRequired && email.trim() === "";
      setMissing(missing);
      if (!missing) onSubmit(email.trim());
    },
  };
}
