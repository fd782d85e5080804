/** What goes wrong at a cluster that can be reached: said in words, with the right code. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { defineResource, type KubeObject } from "@berg/apimachinery";
import { type Client, createClient, kubeconfigFor, Namespaces, ServiceAccounts, systemClock } from "@berg/kube";
import { Challenges, customResourceDefinitions } from "@berg/resources";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { CustomResourceDefinitions, untilServed } from "../../../../../test/scenarios/crds.ts";
import type { WorldControlPlane } from "../../../../../test/scenarios/world.ts";
import { CommandLine } from "./command-line.ts";

/** A loaded machine takes its time. */
const within = { timeout: 30_000 };

export function describeRefusals(start: () => Promise<WorldControlPlane>): void {
  let controlPlane: WorldControlPlane;
  let client: Client;
  let berg: CommandLine;

  beforeAll(async () => {
    controlPlane = await start();
    client = createClient({ connection: controlPlane.connection });
    berg = await CommandLine.for(controlPlane.connection);
  }, 60_000);
  afterAll(async () => {
    await client?.close();
    await controlPlane?.stop();
    await berg?.[Symbol.asyncDispose]();
  });

  // In the order in which a cluster is set up: each test takes what the one before has made.
  describe("a cluster that is not ready for it", { timeout: 60_000 }, () => {
    test("Berg's kinds are missing", async () => {
      for (const said of [await berg.list(), await berg.list({ watch: true }), await berg.start("web")]) {
        expect(said).toMatchObject({ code: 1, stdout: "" });
        expect(said.stderr).toBe(
          `error: the cluster of KUBECONFIG=${berg.kubeconfig} has no Challenges: Berg's kinds are missing. Install them: berg crds | kubectl apply -f -\n`,
        );
      }
    });

    test("there is no Challenge at all", async () => {
      for (const definition of customResourceDefinitions()) {
        await client.create(CustomResourceDefinitions, definition);
        await untilServed(client, definition);
      }
      const { code, stderr } = await berg.start("web");
      expect(stderr).toBe(
        "error: there is no Challenge web in the namespace berg. There is none at all: kubectl apply one first\n",
      );
      expect(code).toBe(1);
    });

    test("no controller looks at it, and it says so while it waits", async () => {
      await client.create(Namespaces, { metadata: { name: "berg" } });
      const spec = { containers: [{ hostname: "web", image: "web:1", dynamicFlag: { env: { name: "FLAG" } } }] };
      await client.create(Challenges, { metadata: { namespace: "berg", name: "web" }, spec: spec as never });
      const clock = { ...systemClock, setTimer: (ms: number, fire: () => void) => systemClock.setTimer(ms / 50, fire) };
      const starting = berg.start("web", { json: true }, { clock });
      await vi.waitFor(() => expect(starting.stderr).toContain("Does the controller run (berg controller)?"), within);
      expect(starting.stderr).toContain("Asked for.\n");
      starting.interrupt();
      const { code, stdout } = await starting;
      // The flag that was made would be lost.
      expect(JSON.parse(stdout)).toMatchObject({
        phase: "Pending",
        flag: expect.stringMatching(/^flag\{[0-9a-f]{32}\}$/),
      });
      expect(code).toBe(1);
      const { name } = JSON.parse(stdout);
      const renewing = berg.renew(name, {}, { clock });
      await vi.waitFor(() => expect(renewing.stderr).toContain("Nothing has answered yet."), within);
      renewing.interrupt();
      expect(await renewing).toMatchObject({ code: 1, stdout: "" });
      expect(renewing.stderr).toContain("The request stands");
      // Nobody holds it: it goes at once.
      expect(await berg.stop([name])).toMatchObject({ code: 0, stdout: `${name} is gone.\n` });
    });

    test("no rights", async () => {
      await client.create(ServiceAccounts, { metadata: { namespace: "default", name: "player" } });
      const { status } = await client.createSubresource<{ status: { token: string } }>(
        ServiceAccounts,
        "default",
        "player",
        "token",
        { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} },
      );
      const player = await as(status.token);
      const { code, stderr } = await berg.list({ kubeconfig: player });
      expect(code).toBe(1);
      expect(stderr).toContain(`the cluster of --kubeconfig ${player} does not allow it: challengeinstances`);
      expect(stderr).toContain('User "system:serviceaccount:default:player" cannot list resource');
      expect((await berg.start("nothing", { kubeconfig: player })).stderr).toContain("does not allow it");

      // Instances, and neither Challenges nor events.
      await client.create(Roles, {
        metadata: { namespace: "berg", name: "reader" },
        rules: [{ apiGroups: ["berg.norelect.ch"], resources: ["challengeinstances"], verbs: ["get", "list"] }],
      });
      await client.create(RoleBindings, {
        metadata: { namespace: "berg", name: "reader" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" },
        subjects: [{ kind: "ServiceAccount", namespace: "default", name: "player" }],
      });
      const made = JSON.parse((await berg.start("web", { json: true, wait: false })).stdout);
      const shown = await berg.show(made.name, { kubeconfig: player });
      expect(shown).toMatchObject({ code: 0, stderr: "Its events are not for you to read.\n" });
      expect(shown.stdout).toContain("challenge  web\n");
    });

    test("wrong credentials", async () => {
      const { code, stderr } = await berg.list({ kubeconfig: await as("wrong") });
      expect([code, stderr]).toEqual([1, expect.stringContaining("does not accept the credentials of --kubeconfig")]);
      expect(stderr).not.toContain("wrong\n");
    });

    async function as(token: string): Promise<string> {
      const { connection } = controlPlane;
      const { ca = "" } = await connection.tls();
      const file = join(berg.directory, "player");
      await writeFile(file, kubeconfigFor({ name: "player", server: connection.server, ca, token }));
      return file;
    }
  });
}

const rbac = (resource: string, kind: string) =>
  defineResource<KubeObject & { rules?: object[]; roleRef?: object; subjects?: object[] }>({
    group: "rbac.authorization.k8s.io",
    version: "v1",
    resource,
    kind,
    namespaced: true,
  });
const Roles = rbac("roles", "Role");
const RoleBindings = rbac("rolebindings", "RoleBinding");
