/** Our stand-ins against what Gardener's own server publishes of itself. */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { missingControlPlane } from "../../control-plane/binaries.ts";
import { startGarden, type TestGarden } from "../garden.ts";
import { missingGardener } from "../server/binary.ts";
import { compareSchemas, type Published } from "./compare.ts";
import { standIns } from "./crds.ts";

describe.skipIf((await missingControlPlane()) ?? missingGardener())("the stand-in of", () => {
  let garden: TestGarden;
  beforeAll(async () => {
    garden = await startGarden({ gardener: "real" });
  });
  afterAll(() => garden?.stop());

  test.each(standIns)("$kind has the fields of Gardener's", async (standIn) => {
    const { group, version, kind, schema } = standIn;
    // Published a moment after it is served.
    const text = await vi.waitFor(() => garden.client.raw(`/openapi/v3/apis/${group}/${version}`), 30_000);
    const document = JSON.parse(text);
    const published = document.components.schemas as Published;
    const name = Object.keys(published).find((one) => one.endsWith(`.${version}.${kind}`));
    const differences = compareSchemas(schema, published[name ?? ""] ?? {}, published);
    expect(differences).toEqual({ wrong: [], lacking: [] });
  });
});
