/** The kinds of the Gateway API that lead players to an instance. A cluster may have neither. */
import { defineResource } from "@berg/apimachinery";
import type { Route } from "./routes.ts";

const group = "gateway.networking.k8s.io";

export const HTTPRoutes = defineResource<Route>({
  group,
  version: "v1",
  resource: "httproutes",
  kind: "HTTPRoute",
  namespaced: true,
});

/** `v1` since Gateway API 1.5; before, the same under `v1alpha2`. */
export const TLSRoutes = defineResource<Route>({
  group,
  version: "v1",
  resource: "tlsroutes",
  kind: "TLSRoute",
  namespaced: true,
});
