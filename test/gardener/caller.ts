/** Who asks for a kubeconfig and whether they may, as the garden's own API server sees it. */
import type { Connection } from "@berg/kube";
import { ask } from "../control-plane/request.ts";
import { type Given, refusal } from "./kubeconfig-request.ts";

/** Their name, or the refusal that they get. */
export async function callerOf(
  garden: Connection,
  authorization: string,
  access: { verb: string; resource: string; subresource: string; namespace: string; name: string },
): Promise<{ name: string } | { refused: Given }> {
  const self = await review(garden, authorization, "authentication.k8s.io", "SelfSubjectReview", {});
  if (self.status !== 201) return { refused: { status: self.status, body: JSON.parse(self.body) } };
  const { username } = JSON.parse(self.body).status.userInfo as { username: string };
  const spec = { resourceAttributes: { group: "core.gardener.cloud", ...access } };
  const may = await review(garden, authorization, "authorization.k8s.io", "SelfSubjectAccessReview", { spec });
  if (JSON.parse(may.body).status?.allowed === true) return { name: username };
  const what = `cannot create resource "shoots/${access.subresource}" in API group "core.gardener.cloud"`;
  const text = `shoots.core.gardener.cloud "${access.name}" is forbidden: User "${username}" ${what}`;
  return { refused: refusal(403, "Forbidden", text) };
}

async function review(garden: Connection, authorization: string, group: string, kind: string, body: object) {
  const url = new URL(garden.server);
  const { ca } = await garden.tls();
  return ask(
    {
      host: url.hostname,
      port: url.port,
      ca,
      method: "POST",
      path: `/apis/${group}/v1/${kind.toLowerCase()}s`,
      headers: { authorization, "content-type": "application/json" },
    },
    JSON.stringify({ apiVersion: `${group}/v1`, kind, ...body }),
  );
}
