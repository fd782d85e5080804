/** What the controller is told on one machine, where the environment does not say otherwise. */
import { readSettings, type Settings, SettingsError } from "@berg/instances";
import { ConfigurationError } from "@berg/kube";
import { allowedCapabilities } from "../allowed-capabilities.ts";

export const challengeNamespace = "berg";
export const gateway = { name: "berg-gateway", namespace: "berg", className: "berg-local" };

export interface Listening {
  domain: string;
  httpPort: number;
  tlsPort: number;
}

export interface LocalSettingsOptions extends Listening {
  /** Of `--allow-capabilities`. */
  allowCapabilities?: string;
}

export function localSettings(
  { domain, httpPort, tlsPort, allowCapabilities }: LocalSettingsOptions,
  env: Record<string, string | undefined>,
): Settings {
  const here = {
    CHALLENGE_NAMESPACE: challengeNamespace,
    CHALLENGE_DOMAIN: domain,
    CHALLENGE_HTTP_PORT: String(httpPort),
    CHALLENGE_TLS_PORT: String(tlsPort),
    GATEWAY_NAME: gateway.name,
    GATEWAY_NAMESPACE: gateway.namespace,
    // The gateway runs beside the containers, not among them.
    GATEWAY_PEER: "host",
    // The node makes its packet filter of these; there is no Cilium here.
    NETWORK_POLICY: "kubernetes",
    // Nobody drains a laptop.
    CHALLENGE_DISRUPTION: "allow",
  };
  try {
    const settings = readSettings({ ...here, ...withoutEmpty(env) });
    return { ...settings, capabilities: allowedCapabilities(allowCapabilities, settings.capabilities) };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    // Whoever has not set the variable knows the option.
    const said = (mistake: string) => mistake.replace(/^cannot read CHALLENGE_DOMAIN/, "cannot use --domain");
    const mistakes = env.CHALLENGE_DOMAIN ? error.mistakes : error.mistakes.map(said);
    throw new ConfigurationError(mistakes.join("\n"));
  }
}

/** What is set to nothing is not set. */
function withoutEmpty(env: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => Boolean(entry[1])));
}
