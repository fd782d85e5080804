import { ConfigurationError } from "@berg/kube";

/** Every mistake in the settings at once: whoever fixes one does not have to start again to learn of the next. */
export class SettingsError extends ConfigurationError {
  readonly mistakes: readonly string[];

  constructor(mistakes: readonly string[]) {
    super(mistakes.join("\n"));
    this.name = "SettingsError";
    this.mistakes = mistakes;
  }
}
