/** What an Ingress is made of. */
import { always, atomicObject, choice, int32, kept, list, object, text } from "../shapes.ts";

export interface Backend {
  service?: { name: string; port: { name?: string; number?: number } };
  resource?: { apiGroup?: string; kind: string; name: string };
}

export interface IngressPath {
  path?: string;
  pathType?: string;
  backend: Backend;
}

export interface IngressRule {
  host?: string;
  http?: { paths: IngressPath[] | null };
}

export interface Ingress {
  spec: {
    ingressClassName?: string;
    defaultBackend?: Backend;
    rules?: IngressRule[];
    tls?: { hosts?: string[]; secretName?: string }[];
  };
  status: { loadBalancer: { ingress?: { ip?: string; hostname?: string }[] } };
}

const backend = object({
  service: object({ name: always(text()), port: always(atomicObject({ name: text(), number: int32() })) }, ["name"]),
  resource: atomicObject({ apiGroup: kept(text()), kind: always(text()), name: always(text()) }, ["kind", "name"]),
});

const path = object(
  {
    path: text(),
    pathType: kept(choice("Exact", "ImplementationSpecific", "Prefix")),
    backend: always(backend),
  },
  ["pathType", "backend"],
);

const portStatus = object(
  { port: always(int32()), protocol: always(choice("SCTP", "TCP", "UDP")), error: kept(text()) },
  ["port", "protocol"],
);

export const ingressShape = object({
  spec: always(
    object({
      ingressClassName: kept(text()),
      defaultBackend: backend,
      tls: list(object({ hosts: list(text()), secretName: text() })),
      rules: list(object({ host: text(), http: object({ paths: always(list(path)) }, ["paths"]) })),
    }),
  ),
  status: always(
    object({
      loadBalancer: always(
        object({ ingress: list(object({ ip: text(), hostname: text(), ports: list(portStatus) })) }),
      ),
    }),
  ),
});
