import { parseQuantity } from "@berg/apimachinery";
import { flagObjectNames } from "../builders/flag-volume.ts";
import { misspeltVariables, writtenByKubernetes } from "./misspelt.ts";
import type { ResourceSettings, Settings } from "./settings.ts";
import { SettingsError } from "./settings-error.ts";
import { type Variable, variables } from "./variables.ts";

type Values = { [Key in keyof typeof variables]: ReturnType<(typeof variables)[Key]["parse"]> };

/**
 * The settings that an environment holds, or every mistake in it at once. An empty variable counts as a missing one.
 *
 *     const settings = readSettings(process.env);
 */
export function readSettings(env: Record<string, string | undefined>): Settings {
  const { values, mistakes } = readValues(env);
  mistakes.push(
    ...misspeltVariables(
      env,
      Object.values(variables).map(({ name }) => name),
    ),
    ...contradictions(values),
  );
  if (mistakes.length > 0) throw new SettingsError(mistakes);
  return settingsOf(values as Values);
}

function readValues(env: Record<string, string | undefined>) {
  const values: Partial<Record<keyof Values, unknown>> = {};
  const mistakes: string[] = [];
  for (const [key, variable] of Object.entries<Variable<unknown>>(variables)) {
    try {
      values[key as keyof Values] = variable.parse(given(env, variable.name) ?? variable.default);
    } catch (error) {
      mistakes.push(`cannot read ${variable.name}: ${(error as Error).message}`);
    }
  }
  return { values: values as Partial<Values>, mistakes };
}

function given(env: Record<string, string | undefined>, name: string): string | undefined {
  const text = env[name]?.trim();
  return text === undefined || text === "" || writtenByKubernetes(name, text) ? undefined : text;
}

const amounts = [
  ["cpuRequest", "cpuLimit"],
  ["memoryRequest", "memoryLimit"],
  ["storageRequest", "storageLimit"],
] as const;

/** What is right on its own and wrong together. */
function contradictions(values: Partial<Values>): string[] {
  return [...requestsOverLimits(values), ...secretsOfOneName(values)];
}

function requestsOverLimits(values: Partial<Values>): string[] {
  return amounts.flatMap(([requestKey, limitKey]) => {
    const request = values[requestKey];
    const limit = values[limitKey];
    if (request === undefined || limit === undefined) return [];
    if (parseQuantity(request).compare(parseQuantity(limit)) <= 0) return [];
    const [requestName, limitName] = [variables[requestKey].name, variables[limitKey].name];
    return [
      `cannot use ${requestName}: ${request} is more than ${limitName}, ${limit}; lower the one or raise the other`,
    ];
  });
}

/** In an instance the copy of the pull secret stands beside the Secrets with the flag. */
function secretsOfOneName({ pullSecretName = "", flagStorage }: Partial<Values>): string[] {
  if (flagStorage !== "Secret" || !Object.values<string>(flagObjectNames).includes(pullSecretName)) return [];
  return [
    `cannot use ${variables.pullSecretName.name}: with ${variables.flagStorage.name}=Secret, ${pullSecretName} is what holds the flag; give the pull secret another name`,
  ];
}

function settingsOf(values: Values): Settings {
  const { challengeNamespace, maxInstances, capabilities, timeout, maxRenewals, warning } = values;
  return {
    challengeNamespace,
    expiry: { timeout, maxRenewals, warning },
    maxInstances,
    capabilities,
    build: {
      domain: values.domain,
      gateway: {
        name: values.gatewayName,
        namespace: values.gatewayNamespace,
        httpListener: values.httpListener,
        tlsListener: values.tlsListener,
        httpPort: values.httpPort,
        httpTls: values.httpTls,
        tlsPort: values.tlsPort,
        peer: values.gatewayPeer,
      },
      network: { policy: values.networkPolicy, denyCidrs: values.denyCidrs },
      resources: resourcesOf(values),
      bandwidth: { egress: values.egressBandwidth, ingress: values.ingressBandwidth },
      imagePullPolicy: values.imagePullPolicy,
      runtimeClassName: values.runtimeClassName,
      pullSecretName: values.pullSecretName,
      headlessService: values.headlessService,
      flagStorage: values.flagStorage,
      architecture: values.architecture,
      disruption: values.disruption,
    },
  };
}

function resourcesOf(values: Values): ResourceSettings {
  return {
    limits: { cpu: values.cpuLimit, memory: values.memoryLimit, "ephemeral-storage": values.storageLimit },
    requests: { cpu: values.cpuRequest, memory: values.memoryRequest, "ephemeral-storage": values.storageRequest },
  };
}
