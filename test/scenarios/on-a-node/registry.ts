/** A registry that has no image, and says so in the ways in which registries do. Run it where a node's localhost is. */
import { createHash } from "node:crypto";
import { createServer } from "node:http";

const [port] = process.argv.slice(2);
const challenge = `Bearer realm="http://localhost:${port}/token",service="registry"`;

/** By the first part of an image's name. */
const answers: Record<string, { status: number; authenticate?: string }> = {
  missing: { status: 404 },
  basic: { status: 401, authenticate: 'Basic realm="registry"' },
  // What Docker Hub says about images that are private and about those that it does not have.
  hub: { status: 401, authenticate: `${challenge},error="insufficient_scope"` },
  busy: { status: 429 },
  ill: { status: 500 },
};

/** An image for machines that nobody runs instances on. */
const foreign = JSON.stringify({
  schemaVersion: 2,
  mediaType: "application/vnd.oci.image.index.v1+json",
  manifests: [
    {
      mediaType: "application/vnd.oci.image.manifest.v1+json",
      digest: `sha256:${"0".repeat(64)}`,
      size: 2,
      platform: { os: "linux", architecture: "s390x" },
    },
  ],
});

createServer(({ url = "", method }, response) => {
  if (url.startsWith("/token")) {
    response.end(JSON.stringify({ token: "nobody" }));
    return;
  }
  if (url.startsWith("/v2/foreign/")) {
    const digest = `sha256:${createHash("sha256").update(foreign).digest("hex")}`;
    const type = "application/vnd.oci.image.index.v1+json";
    const length = Buffer.byteLength(foreign);
    response.writeHead(200, { "content-type": type, "content-length": length, "docker-content-digest": digest });
    response.end(method === "HEAD" ? undefined : foreign);
    return;
  }
  const { status, authenticate } = answers[url.split("/")[2] ?? ""] ?? { status: 404 };
  response.writeHead(status, authenticate === undefined ? {} : { "www-authenticate": authenticate });
  response.end(method === "HEAD" ? undefined : "{}");
}).listen(Number(port), "127.0.0.1");
