/** Real kubectl sees no difference between a real control plane and the embedded one. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { embeddedSubject, realSubject } from "../contract/subjects.ts";
import { missingControlPlane, provideBinaries } from "../control-plane/binaries.ts";
import { commands } from "./commands.ts";
import { type Played, play } from "./play.ts";

describe.skipIf(await missingControlPlane())("kubectl", () => {
  const stops = new AsyncDisposableStack();
  let [onReal, onEmbedded]: Played[][] = [];

  beforeAll(async () => {
    const kubectl = join(await provideBinaries(), "kubectl");
    [onReal, onEmbedded] = await Promise.all(
      [realSubject, embeddedSubject].map(async (start) => {
        const subject = await start();
        stops.defer(() => subject.stop());
        return play(kubectl, subject.kubeconfig, commands);
      }),
    );
  });
  afterAll(() => stops.disposeAsync());

  test.each(commands.map((command, index) => ({ ...command, index })))("$line", ({ exit = 0, differs, index }) => {
    expect(onReal?.[index]?.exit).toBe(exit);
    // One that is as it should be after all has to lose its note.
    if (differs) expect(onEmbedded?.[index]).not.toEqual(onReal?.[index]);
    else expect(onEmbedded?.[index]).toEqual(onReal?.[index]);
  });
});
