/**
 * A process was set up wrongly: what is missing or wrong in its settings, or in how to reach an API server, in words for
 * whoever has to fix it. Starting it again does not help, so it ends with an exit code of its own (2): see runProcess.
 *
 * It names variables, files, entries and fields, and never what stands in a secret: a kubeconfig, a token file and a
 * plugin's answer are secrets, and this text ends up in logs. For the same reason no parser's error is its `cause`,
 * since those quote what they could not parse.
 */
export class ConfigurationError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ConfigurationError";
  }
}
