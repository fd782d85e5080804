import { expect, test } from "vitest";
import { parseAddress } from "./address.ts";
import { isLegacyWatch, parseRequest } from "./parse-request.ts";

const parse = (method: string, target: string) => parseRequest(method, parseAddress(target));
const nothing = { isResource: true, group: "", version: "v1", namespace: "", name: "", subresource: "" };

test.each([
  ["GET /api/v1/pods", { verb: "list", resource: "pods" }],
  ["GET /api/v1/pods/", { verb: "list", resource: "pods" }],
  ["HEAD /api/v1/pods", { verb: "list", resource: "pods" }],
  ["GET /api/v1/pods?watch", { verb: "watch", resource: "pods" }],
  ["GET /api/v1/pods?watch=1", { verb: "watch", resource: "pods" }],
  ["GET /api/v1/pods?watch=maybe", { verb: "watch", resource: "pods" }],
  ["GET /api/v1/pods?watch=FALSE", { verb: "list", resource: "pods" }],
  ["GET /api/v1/pods?watch=0", { verb: "list", resource: "pods" }],
  ["GET /api/v1/namespaces/ctf/pods", { verb: "list", resource: "pods", namespace: "ctf" }],
  ["GET /api/v1/namespaces/ctf/pods/web", { verb: "get", resource: "pods", namespace: "ctf", name: "web" }],
  ["GET /api/v1/namespaces/ctf/pods/web?watch=1", { verb: "get", resource: "pods", namespace: "ctf", name: "web" }],
  [
    "GET /api/v1/namespaces/ctf/pods/web/log",
    { verb: "get", resource: "pods", namespace: "ctf", name: "web", subresource: "log" },
  ],
  [
    "POST /api/v1/namespaces/ctf/pods/web/proxy/a/b",
    { verb: "create", resource: "pods", namespace: "ctf", name: "web", subresource: "proxy" },
  ],
  ["POST /api/v1/namespaces/ctf/pods", { verb: "create", resource: "pods", namespace: "ctf" }],
  ["PUT /api/v1/namespaces/ctf/pods/web", { verb: "update", resource: "pods", namespace: "ctf", name: "web" }],
  ["PATCH /api/v1/namespaces/ctf/pods/web", { verb: "patch", resource: "pods", namespace: "ctf", name: "web" }],
  ["DELETE /api/v1/namespaces/ctf/pods/web", { verb: "delete", resource: "pods", namespace: "ctf", name: "web" }],
  ["DELETE /api/v1/namespaces/ctf/pods", { verb: "deletecollection", resource: "pods", namespace: "ctf" }],
  ["LOCK /api/v1/pods", { verb: "", resource: "pods" }],
  ["GET /api/v1/namespaces", { verb: "list", resource: "namespaces" }],
  ["GET /api/v1/namespaces/ctf", { verb: "get", resource: "namespaces", namespace: "ctf", name: "ctf" }],
  [
    "PUT /api/v1/namespaces/ctf/finalize",
    { verb: "update", resource: "namespaces", namespace: "ctf", name: "ctf", subresource: "finalize" },
  ],
  [
    "GET /api/v1/namespaces/ctf/status",
    { verb: "get", resource: "namespaces", namespace: "ctf", name: "ctf", subresource: "status" },
  ],
  ["GET /api/v1/watch/pods", { verb: "watch", resource: "pods" }],
  ["GET /api/v1/watch/namespaces/ctf/pods", { verb: "watch", resource: "pods", namespace: "ctf" }],
  ["GET /api/v1/watch/namespaces/ctf/pods/web", { verb: "watch", resource: "pods", namespace: "ctf", name: "web" }],
  [
    "GET /apis/apps/v1/namespaces/ctf/deployments/web/scale",
    { verb: "get", group: "apps", resource: "deployments", namespace: "ctf", name: "web", subresource: "scale" },
  ],
  ["GET /apis/batch/v2/jobs", { verb: "list", group: "batch", version: "v2", resource: "jobs" }],
  ["GET /api/v1/pods?fieldSelector=metadata.name%3Dweb", { verb: "list", resource: "pods", name: "web" }],
  ["GET /api/v1/pods?watch=1&fieldSelector=metadata.name%3Dweb", { verb: "watch", resource: "pods", name: "web" }],
  ["GET /api/v1/pods?fieldSelector=metadata.name%21%3Dweb", { verb: "list", resource: "pods" }],
  ["GET /api/v1/pods?fieldSelector=metadata.name%3Da%2fb", { verb: "list", resource: "pods" }],
  ["GET /api/v1/pods?fieldSelector=metadata.name%3D..", { verb: "list", resource: "pods" }],
  ["GET /api/v1/pods?fieldSelector=rubbish", { verb: "list", resource: "pods" }],
  [
    "GET /api/v1/namespaces/ctf/pods/a%2fb",
    { verb: "get", resource: "pods", namespace: "ctf", name: "a", subresource: "b" },
  ],
])("%s", (request, wanted) => {
  const [method = "", target = ""] = request.split(" ");
  expect(parse(method, target)).toEqual({ ...nothing, ...wanted });
});

test.each([
  ["GET /", "/"],
  ["GET /api", "/api"],
  ["GET /api/v1", "/api/v1"],
  ["GET /api/v1/", "/api/v1/"],
  ["GET /apis/apps/v1", "/apis/apps/v1"],
  ["GET /apis/apps", "/apis/apps"],
  ["GET /version?x=1", "/version"],
  ["GET /openapi/v3/apis/apps/v1", "/openapi/v3/apis/apps/v1"],
])("%s is no resource", (request, path) => {
  const [method = "", target = ""] = request.split(" ");
  expect(parse(method, target)).toEqual({ isResource: false, verb: "get", path });
});

test("knows a watch of the old form", () => {
  expect(isLegacyWatch("/api/v1/watch/pods")).toBe(true);
  expect(isLegacyWatch("/api/v1/watch")).toBe(false);
  expect(isLegacyWatch("/api/v1/namespaces/watch/pods")).toBe(false);
});

test.each(["/a%zz", "*", "http://x/y", "", "?a=b"])("refuses the address %j", (target) => {
  expect(() => parseAddress(target)).toThrow(/path/);
});
