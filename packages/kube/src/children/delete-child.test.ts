import { expect, test } from "vitest";
import { ConfigMaps } from "../kinds.ts";
import { FakeObjects } from "../testing/fake-objects.ts";
import { refusal } from "../testing/refusal.ts";
import { deleteChild } from "./delete-child.ts";

const { signal } = new AbortController();
const conflict = refusal(409, { reason: "Conflict" });

test("one life is deleted, by its UID", async () => {
  const world = new FakeObjects();
  const child = world.put("card", { uid: "u7" });
  await deleteChild(world.client, ConfigMaps, child, { signal, propagationPolicy: "Foreground" });
  expect(world.sent[1]).toEqual({ preconditions: { uid: "u7" }, propagationPolicy: "Foreground" });
});

test.each<{ name: string; meanwhile(world: FakeObjects): void; refused: Error; wantAsked: string[] }>([
  {
    name: "is gone",
    meanwhile: (world) => world.objects.delete("card"),
    refused: refusal(404, { reason: "NotFound" }),
    wantAsked: ["delete card"],
  },
  {
    name: "was made anew under its name",
    meanwhile: (world) => world.put("card", { uid: "u8" }),
    refused: conflict,
    wantAsked: ["delete card", "get card"],
  },
  {
    name: "goes while it is asked for",
    meanwhile: (world) => world.objects.delete("card"),
    refused: conflict,
    wantAsked: ["delete card", "get card"],
  },
])("a child that $name needs no more", async ({ meanwhile, refused, wantAsked }) => {
  const world = new FakeObjects();
  const child = world.put("card", { uid: "u7" });
  world.meanwhile = () => meanwhile(world);
  world.refusal = refused;
  await deleteChild(world.client, ConfigMaps, child, { signal });
  expect(world.asked).toEqual(wantAsked);
});

test("a conflict about a child that is still there is no success", async () => {
  const world = new FakeObjects();
  const child = world.put("card", { uid: "u7" });
  world.refusal = conflict;
  await expect(deleteChild(world.client, ConfigMaps, child, { signal })).rejects.toBe(conflict);
});
