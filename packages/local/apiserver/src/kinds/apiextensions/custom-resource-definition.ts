/**
 * CustomResourceDefinitions, as far as they are a kind like any other: their shape and columns. What makes them more
 * than data, from their rules to the kinds that come of them, is in `crds/`.
 */
import { builtIn } from "../built-in.ts";
import { createdAtColumn, nameColumn } from "../columns.ts";
import { always, anything, bool, bytes, int32, int64, kept, list, listMap, object, text, time } from "../shapes.ts";

const names = object(
  {
    plural: always(text()),
    singular: text(),
    shortNames: list(text()),
    kind: always(text()),
    listKind: text(),
    categories: list(text()),
  },
  ["plural", "kind"],
);

const subresources = object({
  status: object({}),
  scale: object(
    { specReplicasPath: always(text()), statusReplicasPath: always(text()), labelSelectorPath: kept(text()) },
    ["specReplicasPath", "statusReplicasPath"],
  ),
});

const printerColumn = object(
  {
    name: always(text()),
    type: always(text()),
    format: text(),
    description: text(),
    priority: int32(),
    jsonPath: always(text()),
  },
  ["name", "type", "jsonPath"],
);

const version = object(
  {
    name: always(text()),
    served: always(bool()),
    storage: always(bool()),
    deprecated: bool(),
    deprecationWarning: kept(text()),
    // A schema holds schemas, without end; `crds/` knows what may stand in one.
    schema: object({ openAPIV3Schema: anything() }),
    subresources,
    additionalPrinterColumns: list(printerColumn),
    selectableFields: list(object({ jsonPath: always(text()) }, ["jsonPath"])),
  },
  ["name", "served", "storage"],
);

const webhookService = object(
  { namespace: always(text()), name: always(text()), path: kept(text()), port: kept(int32()) },
  ["namespace", "name"],
);

const conversion = object(
  {
    strategy: always(text()),
    webhook: object(
      {
        clientConfig: object({ url: kept(text()), service: webhookService, caBundle: bytes() }),
        conversionReviewVersions: always(list(text())),
      },
      ["conversionReviewVersions"],
    ),
  },
  ["strategy"],
);

const condition = object(
  {
    type: always(text()),
    status: always(text()),
    lastTransitionTime: always(time()),
    reason: text(),
    message: text(),
    observedGeneration: int64(),
  },
  ["type", "status"],
);

export const customResourceDefinitionShape = object(
  {
    spec: always(
      object(
        {
          group: always(text()),
          names: always(names),
          scope: always(text()),
          versions: always(list(version)),
          conversion,
          preserveUnknownFields: bool(),
        },
        ["group", "names", "scope", "versions"],
      ),
    ),
    status: always(
      object({
        conditions: always(listMap(["type"], condition)),
        acceptedNames: always(names),
        storedVersions: always(list(text())),
        observedGeneration: int64(),
      }),
    ),
  },
  ["spec"],
);

export const customResourceDefinitions = builtIn({
  group: "apiextensions.k8s.io",
  resource: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
  shortNames: ["crd", "crds"],
  categories: ["api-extensions"],
  schema: customResourceDefinitionShape,
  columns: [nameColumn, createdAtColumn],
  strategy: { hasStatus: true, hasGeneration: true, needsVersion: true },
});
