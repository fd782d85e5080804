/** Endpoint slices: where the pods of a service are. */
import { always, atomicObject, bool, choice, int32, kept, list, mapOf, object, setOf, text } from "../../shapes.ts";
import { objectReference } from "./references.ts";

const endpointConditions = object({
  ready: kept(bool()),
  serving: kept(bool()),
  terminating: kept(bool()),
});

const forNode = object(
  {
    name: always(text()),
  },
  ["name"],
);

const forZone = object(
  {
    name: always(text()),
  },
  ["name"],
);

const endpointHints = object({
  forNodes: list(forNode),
  forZones: list(forZone),
});

export const endpoint = object(
  {
    addresses: setOf(text()),
    conditions: always(endpointConditions),
    deprecatedTopology: mapOf(text()),
    hints: endpointHints,
    hostname: kept(text()),
    nodeName: kept(text()),
    targetRef: objectReference,
    zone: kept(text()),
  },
  ["addresses"],
);

export const endpointPort = atomicObject({
  appProtocol: kept(text()),
  name: kept(text()),
  port: kept(int32()),
  protocol: kept(choice("SCTP", "TCP", "UDP")),
});
