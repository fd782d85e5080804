import { expect, test } from "vitest";
import { requestTarget } from "./request-path.ts";

const berg = "/apis/berg.norelect.ch/v1/namespaces/berg/challengeinstances";

test.each([
  ["GET", "/version", "list", "", "", "", ""],
  ["GET", "/api/v1/namespaces", "list", "namespaces", "", "", ""],
  ["GET", "/api/v1/namespaces/web", "get", "namespaces", "", "", "web"],
  ["DELETE", "/api/v1/namespaces/web", "delete", "namespaces", "", "", "web"],
  ["PUT", "/api/v1/namespaces/web/finalize", "update", "namespaces", "finalize", "", "web"],
  ["POST", "/api/v1/namespaces/web/services?fieldManager=x", "create", "services", "", "web", ""],
  ["GET", "/api/v1/pods?watch=true&limit=1", "watch", "pods", "", "", ""],
  ["DELETE", "/apis/apps/v1/namespaces/web/deployments", "deletecollection", "deployments", "", "web", ""],
  ["PUT", `${berg}/owner-1/status`, "update", "challengeinstances", "status", "berg", "owner-1"],
  ["PATCH", `${berg}/owner-1`, "patch", "challengeinstances", "", "berg", "owner-1"],
  ["POST", "/api/v1/namespaces/web/pods/a%20b/eviction", "create", "pods", "eviction", "web", "a b"],
])("%s %s", (method, url, verb, resource, subresource, namespace, name) => {
  expect(requestTarget(method, url)).toEqual({ verb, resource, subresource, namespace, name });
});

test("a patch with apply's content type is an apply", () => {
  expect(requestTarget("PATCH", berg, "application/apply-patch+yaml").verb).toBe("apply");
});
