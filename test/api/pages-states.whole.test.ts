/**
 * Every page in every state of the table (pages-states.ts), in a real browser on `berg up` with simulated pods. Each is
 * checked by axe and kept as pictures in test/api/screenshots.
 */
import { access, copyFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { look, picturePath } from "./pages-look.ts";
import { Stage } from "./pages-stage.ts";
import { states } from "./pages-states.ts";

/** The picture of the README. */
const readmePicture = join(import.meta.dirname, "../../docs/challenge-page.png");

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.start();
});
afterAll(() => stage?.[Symbol.asyncDispose]());

test.each(states)("$name", async (state) => {
  const page = await stage.show(state);
  await look(page, state.name);
  await page.context().close();
});

test("no page threw an error", () => expect(stage.pageErrors).toEqual([]));

test("the README has a picture of the challenge page; BERG_UPDATE_PICTURES=1 takes it again", async () => {
  if (process.env.BERG_UPDATE_PICTURES) await copyFile(picturePath("challenge-running", "light"), readmePicture);
  await access(readmePicture);
});
