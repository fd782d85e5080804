/**
 * The CRD under which the original platform stores Challenges: nothing is required, nothing has a default, several fields
 * may be null, and there is no status. Clusters that ran that platform have Challenges that no other schema has checked.
 */
import type { CustomResourceDefinition } from "@berg/resources";

const text = { type: "string" };
const nullableText = { type: "string", nullable: true };
const list = (items: object) => ({ type: "array", items });
const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });
const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

const amounts = object({ cpu: text, memory: text }, { nullable: true });
const file = object({ path: text, mode: { type: "integer", nullable: true } }, { nullable: true });

const port = object({
  name: text,
  port: { type: "integer" },
  protocol: text,
  appProtocol: text,
  type: { type: "string", enum: ["internalPort", "publicPort", "publicHttpRoute", "publicTlsRoute"] },
});

const container = {
  hostname: text,
  image: text,
  environment: anything,
  readinessProbe: anything,
  livenessProbe: anything,
  resourceRequests: amounts,
  resourceLimits: amounts,
  ports: list(port),
  dynamicFlag: object(
    { env: object({ name: text }, { nullable: true }), content: file, executable: file },
    { oneOf: ["env", "content", "executable"].map((way) => ({ required: [way] })) },
  ),
  additionalCapabilities: list(text),
  runtimeClassName: nullableText,
  egressBandwidth: nullableText,
  ingressBandwidth: nullableText,
};

const attachment = object({
  fileName: text,
  downloadUrl: nullableText,
  downloadImage: nullableText,
  downloadImagePullSecret: nullableText,
  downloadImageInsecure: { type: "boolean", nullable: true },
});

const spec = {
  displayName: nullableText,
  author: text,
  description: text,
  flag: text,
  flagFormat: text,
  dynamicFlagMode: { type: "string", enum: ["suffix", "leetify"] },
  hideUntil: { type: "string", format: "date-time" },
  difficulty: text,
  categories: list(text),
  tags: list(text),
  event: text,
  allowOutboundTraffic: { type: "boolean" },
  attachments: list(attachment),
};

/** `more`: fields that another release of that platform has, and that ours does not know. */
export function originalChallengeDefinition(
  more: { spec?: object; container?: object } = {},
): CustomResourceDefinition {
  const containers = list(object({ ...container, ...more.container }));
  const openAPIV3Schema = object({ spec: object({ ...spec, containers, ...more.spec }) });
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "challenges.berg.norelect.ch" },
    spec: {
      group: "berg.norelect.ch",
      scope: "Namespaced",
      names: {
        kind: "Challenge",
        listKind: "ChallengeList",
        plural: "challenges",
        singular: "challenge",
        shortNames: ["chall"],
        categories: ["all"],
      },
      versions: [
        { name: "v1", served: true, storage: true, schema: { openAPIV3Schema }, additionalPrinterColumns: [] },
      ],
    },
  };
  return definition as CustomResourceDefinition;
}
