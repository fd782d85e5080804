import { expect, test } from "vitest";
import { pullProblem } from "./pull-problem.ts";

const credentials = ": the registry asks for other credentials";
const notReached = ": the registry is not reached";
const failedRequest = (image: string, url: string) =>
  `failed to pull and unpack image "${image}": failed to resolve reference "${image}": failed to do request: Head "${url}": `;
const failedStatus = (status: string) =>
  `failed to pull and unpack image "r.test/a:1": failed to resolve reference "r.test/a:1": pulling from host r.test failed with status code [manifests 1]: ${status}`;

// As containerd says them; the kubelet sets "Back-off pulling image …: ErrImagePull: " before most.
test.each([
  [
    'rpc error: code = NotFound desc = failed to pull and unpack image "r.test/a:1": failed to resolve reference "r.test/a:1": r.test/a:1: not found',
    ": it does not exist",
  ],
  [failedStatus("401 Unauthorized"), credentials],
  [failedStatus("403 Forbidden"), credentials],
  [failedStatus("429 Too Many Requests"), ": the registry is asked too often"],
  [failedStatus("500 Internal Server Error"), ""],
  [
    'failed to resolve reference "r.test/a:1": pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed',
    ": it does not exist, or the registry asks for other credentials",
  ],
  [
    'failed to resolve reference "r.test/a:1": failed to authorize: failed to fetch anonymous token: unexpected status: 404 Not Found',
    credentials,
  ],
  [
    'failed to pull and unpack image "r.test/a:1": no match for platform in manifest sha256:0a1b: not found',
    ": it is not made for the processors of the nodes",
  ],
  [
    `${failedRequest("r.test/a:1", "https://r.test/v2/a/manifests/1")}dial tcp: lookup r.test on 10.0.0.53:53: no such host`,
    notReached,
  ],
  [
    `${failedRequest("r.test/a:1", "https://r.test/v2/a/manifests/1")}dial tcp: lookup r.test on 10.0.0.53:53: read udp 10.0.0.2:37517->10.0.0.53:53: i/o timeout`,
    notReached,
  ],
  [
    `${failedRequest("r.test/a:1", "https://r.test/v2/a/manifests/1")}dial tcp 10.0.0.9:443: connect: no route to host`,
    notReached,
  ],
  ["", ""],
  [undefined, ""],
])("%s", (message, problem) => {
  expect(pullProblem(message)).toBe(problem);
});

test("the name of an image is no sign of anything", () => {
  const image = "denied.test/not-found/authentication-timeout:1";
  const url = "https://denied.test/v2/not-found/authentication-timeout/manifests/1";
  expect(pullProblem(`${failedRequest(image, url)}dial tcp 10.0.0.9:443: connect: connection refused`)).toBe(
    notReached,
  );
  expect(pullProblem(`failed to resolve reference "${image}": ${image}: not found`)).toBe(": it does not exist");
  expect(pullProblem(`${failedRequest(image, url)}EOF`)).toBe("");
});
