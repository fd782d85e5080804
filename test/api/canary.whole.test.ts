/** The flag of an instance is in the instance, in its row and in its ChallengeInstance, and nowhere else. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isNotFound, type KubeObject } from "@berg/apimachinery";
import {
  type Client,
  ConfigMaps,
  ControllerRevisions,
  Deployments,
  Events,
  Namespaces,
  Pods,
  ReplicaSets,
  Secrets,
  Services,
} from "@berg/kube";
import { ChallengeInstances, Challenges, Competitions, Pages } from "@berg/resources";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type SignedIn, Site } from "./site.ts";

let site: Site;
let client: Client;
let player: SignedIn;
let admin: SignedIn;
let flag: string;
let id: string;
let namespace: string;

beforeAll(async () => {
  site = await Site.start();
  client = await site.client();
  player = await site.signIn("player");
  admin = await site.signIn("admin");
  await player.start("notes");
  const running = await player.until("runs", ({ status }) => status === 2);
  await player.renew();
  await player.call("/api/instances/current/restart", { method: "POST" });
  await player.until("runs again", ({ status }) => status === 2);
  const { spec, status } = await client.get(ChallengeInstances, "berg", `owner-${running.ownerId}`);
  [flag, id, namespace] = [spec.flag ?? "", running.id ?? "", status?.namespace ?? ""];
  expect(flag).toMatch(/^.+\{.+\}$/);
});
afterAll(async () => {
  await client?.close();
  await site?.[Symbol.asyncDispose]();
});

test("no answer of the API contains it, not even to an admin", async () => {
  const { body: openapi } = await site.call<{ paths: Record<string, object> }>("/api/openapi.json");
  const known: Record<string, string> = { id, name: "notes", index: "0" };
  const paths = Object.entries(openapi.paths)
    .filter(([, methods]) => "get" in methods)
    .map(([path]) => path.replace(/\{([^}]+)\}/g, (_, name: string) => known[name] ?? name));
  expect(paths).toContain(`/api/instances/${id}/logs`);
  for (const path of paths) {
    for (const who of [player, admin]) expect((await who.call(path)).text).not.toContain(flag);
  }
});

test("nothing that Berg prints contains it", () => {
  expect(site.output).not.toContain(flag);
});

test("in the database only the row of the instance does", () => {
  using db = new DatabaseSync(join(site.directory, "api.db"), { readOnly: true });
  const tables = db.prepare("select name from sqlite_master where type = 'table'").all() as { name: string }[];
  const found = tables.flatMap(({ name }) =>
    (db.prepare(`select * from "${name}"`).all() as Record<string, unknown>[]).flatMap((row) =>
      Object.entries(row).flatMap(([column, value]) => (String(value).includes(flag) ? [`${name}.${column}`] : [])),
    ),
  );
  expect(found).toEqual(["instances.flag"]);
});

test("in Kubernetes only the ChallengeInstance and the objects of its namespace do", async () => {
  const kinds = [
    ...[ChallengeInstances, Challenges, Competitions, Pages, ConfigMaps, Secrets, Services, Pods, Deployments],
    ...[ReplicaSets, ControllerRevisions, Events, Namespaces],
  ];
  const found = new Set<string>();
  for (const kind of kinds) {
    const { items } = await client.listAll(kind as typeof Pods).catch((error) => {
      if (!isNotFound(error)) throw error;
      return { items: [] as KubeObject[] };
    });
    for (const object of items) {
      const isElsewhere = object.metadata.namespace !== namespace || kind.kind === "Event";
      if (isElsewhere && JSON.stringify(object).includes(flag)) found.add(`${kind.kind} ${object.metadata.name}`);
    }
  }
  const { ownerId } = await player.instance();
  expect([...found]).toEqual([`ChallengeInstance owner-${ownerId}`]);
});
