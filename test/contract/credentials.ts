/** Each way in which a process can be told how to reach its server, from the file to the answer. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isForbidden, isUnauthorized } from "@berg/apimachinery";
import { kubeconfigFor, loadConnection, Namespaces, Pods, ServiceAccounts, systemClock } from "@berg/kube";
import { expect, onTestFinished, test } from "vitest";
import { eventually, type Given, refusal, tokenFor } from "./given.ts";

export function credentials(given: Given): void {
  async function directoryWith(files: Record<string, string>): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), "berg-contract-"));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text, { mode: 0o600 });
    return directory;
  }
  const serverCa = async () => (await given.subject.connection.tls()).ca ?? "";

  test("a kubeconfig with a token", async () => {
    const connection = await loadConnection({ clock: systemClock, kubeconfig: given.subject.kubeconfig, env: {} });
    expect(connection.namespace).toBe("default");
    const client = given.connect(connection);
    expect((await client.get(Namespaces, "", given.namespace)).metadata.name).toBe(given.namespace);
    expect(JSON.parse(await client.raw("/version"))).toMatchObject({ major: "1" });
  });

  test("a kubeconfig with a client certificate", async () => {
    const { namespace, subject } = given;
    const { server } = subject.connection;
    const contents = { name: "certified", server, ca: await serverCa(), namespace };
    const text = kubeconfigFor({ ...contents, ...(await subject.issueClientCertificate("ada")) });
    const directory = await directoryWith({ kubeconfig: text });
    const connection = await loadConnection({ clock: systemClock, kubeconfig: join(directory, "kubeconfig"), env: {} });
    expect(connection.namespace).toBe(namespace);
    const error = await refusal(given.connect(connection).list(Pods, { namespace }));
    expect(isForbidden(error)).toBe(true);
    expect(error.message).toContain('User "ada"');
  });

  test("a pod's service account, whose token is renewed when the server no longer takes the old one", async () => {
    const { client, namespace, subject } = given;
    for (const name of ["old", "new"]) await client.create(ServiceAccounts, { metadata: { namespace, name } });
    const [oldToken, newToken] = [await tokenFor(given, "old"), await tokenFor(given, "new")];
    const directory = await directoryWith({ token: oldToken, "ca.crt": await serverCa(), namespace });
    const { hostname, port } = new URL(subject.connection.server);
    const env = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
    const connect = () => loadConnection({ clock: systemClock, env, serviceAccount: directory });
    const whoIs = async (error: Promise<{ message: string }>) =>
      /serviceaccount:[\w-]+:(\w+)/.exec((await error).message)?.[1];

    const connection = await connect();
    expect(connection.namespace).toBe(namespace);
    const pod = given.connect(connection);
    // The pod's client still holds the old token when the new one is written; it must find out within one call.
    await client.delete(ServiceAccounts, namespace, "old");
    const withOld = given.connect(subject.connectWith(oldToken));
    await eventually(async () => expect(isUnauthorized(await refusal(withOld.list(Pods, { namespace })))).toBe(true));

    await writeFile(join(directory, "token"), newToken);
    expect(await whoIs(refusal(pod.list(Pods, { namespace })))).toBe("new");
    expect(await whoIs(refusal(given.connect(await connect()).list(Pods, { namespace })))).toBe("new");
  });
}
