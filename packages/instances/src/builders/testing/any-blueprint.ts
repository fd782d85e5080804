/** Blueprints of any Challenge that the schema lets through, sensible or not. */
import type { ChallengeContainer, ChallengePort, DynamicFlag } from "@berg/resources";
import fc from "fast-check";
import type { BuildSettings } from "../../settings/settings.ts";
import type { Blueprint } from "../blueprint.ts";
import { blueprintOf } from "./blueprints.ts";
import { withFlag } from "./workload-cases.ts";

/** Begins every flag, so that it can be found again wherever it should not be. */
export const canary = "flag{canary-$(HOME)-";

const hostname = fc.stringMatching(/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/);
const mode = fc.oneof(fc.stringMatching(/^(0o?)?[0-7]{1,3}$/), fc.integer({ min: 0, max: 0o777 }));
const path = fc.constantFrom("/flag", "/home/ctf/{entropy}.txt", "/{entropy}/{entropy}", "/a b/ü");
const amount = fc.constantFrom("0", "1", "250m", "0.5", "64Mi", "1e3", 2, 1.5e9, "3G");

const port: fc.Arbitrary<ChallengePort> = fc.record(
  {
    name: fc.oneof(fc.string({ maxLength: 63 }), fc.constantFrom("web", "a-name-of-more-than-15-characters")),
    port: fc.oneof(fc.integer({ min: 1, max: 65535 }), fc.constantFrom(80, 81)),
    protocol: fc.constantFrom("tcp", "TCP", "udp", "Udp"),
    appProtocol: fc.string(),
    type: fc.constantFrom("internalPort", "publicPort", "publicHttpRoute", "publicTlsRoute"),
  },
  { requiredKeys: ["port", "protocol", "type"] },
);

const file = fc.record({ path, mode }, { requiredKeys: ["path"] });
const dynamicFlag: fc.Arbitrary<DynamicFlag> = fc.oneof(
  fc.record({ env: fc.record({ name: fc.constantFrom("FLAG", "PATH", "WEB_ENDPOINT", "CHALLENGE_NAMESPACE") }) }),
  fc.record({ content: file }),
  fc.record({ executable: file }),
);

const oddObject = fc.object({
  key: fc.constantFrom("httpGet", "exec", "port", "path", "httpHeaders", "hostPath", "privileged", "periodSeconds"),
  values: [fc.string(), fc.nat(), fc.boolean(), fc.constant(null)],
  maxDepth: 3,
});
const probe = fc.oneof(oddObject, fc.record({ httpGet: fc.record({ port: fc.constantFrom(80, "web", "x") }) }));

const resources = fc.record({ cpu: amount, memory: amount, "ephemeral-storage": amount }, { requiredKeys: [] });
const environment = fc.dictionary(
  fc.oneof(fc.string(), fc.constantFrom("FLAG", "PATH", "WEB_ENDPOINT")),
  fc.oneof(fc.string(), fc.constantFrom("$(FLAG)", "$"), fc.integer(), fc.boolean(), fc.constant(null)),
);

const container: fc.Arbitrary<ChallengeContainer> = fc.record(
  {
    hostname,
    image: fc.stringMatching(/^\S{1,100}$/),
    environment,
    ports: fc.array(port, { maxLength: 5 }),
    additionalCapabilities: fc.array(fc.constantFrom("DAC_OVERRIDE", "NET_ADMIN", "SYS_ADMIN", "ALL"), {
      maxLength: 3,
    }),
    dynamicFlag,
    resourceRequests: resources,
    resourceLimits: resources,
    readinessProbe: probe,
    livenessProbe: probe,
    runtimeClassName: fc.constantFrom("", "gvisor"),
    egressBandwidth: fc.constantFrom("", "1M"),
    ingressBandwidth: fc.constantFrom("", "1M"),
  },
  { requiredKeys: ["hostname", "image", "environment", "ports", "additionalCapabilities"] },
);

const settings: fc.Arbitrary<Partial<BuildSettings>> = fc.record({
  runtimeClassName: fc.constantFrom("", "kata"),
  pullSecretName: fc.constantFrom("", "registry"),
  flagStorage: fc.constantFrom("ConfigMap", "Secret"),
  architecture: fc.constantFrom("x86-64", "aarch64"),
  disruption: fc.constantFrom("protect", "allow"),
});

export const anyBlueprint: fc.Arbitrary<Blueprint> = fc
  .record({
    containers: fc.uniqueArray(container, { maxLength: 4, selector: ({ hostname }) => hostname }),
    settings,
    tail: fc.string({ unit: "grapheme", maxLength: 40 }).filter((text) => !text.includes("\0")),
  })
  .map(({ tail, ...wishes }) => withFlag(blueprintOf(wishes), `${canary}${tail}}`));
