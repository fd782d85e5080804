/** The gateway on its thread, with the embedded control plane: what passes between the two, and that it does its work. */
import { get } from "node:http";
import { text } from "node:stream/consumers";
import { connect } from "node:tls";
import { defineResource, type KubeObject } from "@berg/apimachinery";
import { createClient, silentLogger, unlimited } from "@berg/kube";
import { makeCa } from "@berg/kube/testing/certificates";
import { startLocalControlPlane } from "@berg/local-control-plane";
import { expect, test } from "vitest";
import { installGatewayKinds } from "../crds/install.ts";
import type { Gateway } from "../kinds.ts";
import { freePort } from "../testing/servers.ts";
import { certificateOption, controllerName, issuedHere } from "../vocabulary.ts";
import { startGatewayThread } from "./gateway-thread.ts";

const kind = <T extends KubeObject>(kind: string, resource: string, namespaced: boolean) =>
  defineResource<T>({ group: "gateway.networking.k8s.io", version: "v1", resource, kind, namespaced });
const GatewayClasses = kind<KubeObject & { spec: object }>("GatewayClass", "gatewayclasses", false);
const Gateways = kind<Gateway>("Gateway", "gateways", true);
const patience = { timeout: 60_000 };

const statusOf = (port: number) =>
  new Promise<string>((resolve, reject) => {
    get({ port, host: "127.0.0.1", headers: { host: "a.test" }, agent: false }, (response) => {
      text(response).then((body) => resolve(`${response.statusCode} ${body}`), reject);
    }).on("error", reject);
  });

const certificateShown = (port: number) =>
  new Promise<string>((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", servername: "a.test", rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    }).on("error", reject);
  });

test("it opens ports, gets certificates from its starter, logs through it, and is gone when it stops", async () => {
  await using world = new AsyncDisposableStack();
  const { apiServer } = world.use(await startLocalControlPlane({ dataDir: ":memory:", scheduler: false }));
  const client = createClient({ connection: apiServer.connection, rate: unlimited });
  world.defer(() => client.close());
  await installGatewayKinds(client);
  const ca = await makeCa();
  const asked: string[] = [];
  const logged: object[] = [];
  const certificateFor = (hostname: string) => {
    asked.push(hostname);
    if (asked.length === 1) throw new Error("not today");
    return ca.issue(`for ${hostname}`);
  };
  const thread = await startGatewayThread({
    connection: apiServer.connection,
    log: { ...silentLogger, warn: (fields) => void logged.push(fields) },
    certificateFor,
  });
  world.defer(() => thread[Symbol.asyncDispose]());
  await client.create(GatewayClasses, { metadata: { name: "local" }, spec: { controllerName } });
  const [http, https] = [await freePort(), await freePort()];
  const tls = { mode: "Terminate", options: { [certificateOption]: issuedHere } };
  await client.create(Gateways, {
    metadata: { namespace: "default", name: "edge" },
    spec: {
      gatewayClassName: "local",
      listeners: [
        { name: "http", protocol: "HTTP", port: http, hostname: "*.test" },
        { name: "https", protocol: "HTTPS", port: https, hostname: "*.test", tls },
      ],
    },
  });
  await expect.poll(() => statusOf(http).catch(String), patience).toBe("404 There is nothing here.\n");
  await expect(certificateShown(https)).rejects.toThrow(/internal error/);
  expect(logged).toContainEqual(expect.objectContaining({ serverName: "a.test", error: "not today" }));
  expect(await certificateShown(https)).toBe("for *.test");
  expect(asked).toEqual(["*.test", "*.test"]);

  await thread[Symbol.asyncDispose]();
  await expect(statusOf(http)).rejects.toThrow("ECONNREFUSED");
});
