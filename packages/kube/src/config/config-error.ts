/**
 * What is missing or wrong in how to reach an API server, in words for whoever has to fix it.
 *
 * It names files, entries and fields, and never what stands in them: a kubeconfig, a token file and a plugin's answer
 * are secrets, and this text ends up in logs. For the same reason no parser's error is its `cause`, since those quote
 * what they could not parse.
 */
export class ConfigError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ConfigError";
  }
}
