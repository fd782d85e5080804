import { describe, expect, test } from "vitest";
import { type Behaviour, behaviourKinds, parseBehaviour } from "./behaviour.ts";

describe("a behaviour is read from text", () => {
  const cases: { text: string; want: Behaviour }[] = [
    { text: "ready", want: { kind: "ready" } },
    { text: " ready  after=1m30s ", want: { kind: "ready", afterMs: 90_000 } },
    { text: "never-ready after=0", want: { kind: "never-ready", afterMs: 0 } },
    {
      text: "crash-loop exitCode=3 run=2s backoff=200ms",
      want: { kind: "crash-loop", exitCode: 3, runMs: 2000, backoffMs: 200 },
    },
    {
      text: "image-pull backoff=1s message=unauthorized: no message=here",
      want: { kind: "image-pull", backoffMs: 1000, message: "unauthorized: no message=here" },
    },
  ];
  test.each(cases)("$text", ({ text, want }) => {
    expect(parseBehaviour(text)).toEqual(want);
  });

  test.each(behaviourKinds)("%s needs no settings", (kind) => {
    expect(parseBehaviour(kind)).toEqual({ kind });
  });
});

describe("a text that means nothing is refused in words", () => {
  const cases = [
    { text: "", wantError: 'cannot read behaviour "": there is no "" (ready, never-ready,' },
    { text: "toString", wantError: 'there is no "toString"' },
    {
      text: "oom exitCode=1",
      wantError: 'cannot read behaviour "oom exitCode=1": "exitCode" is no setting of oom (run, backoff)',
    },
    { text: "stuck-creating now", wantError: '"now" is no setting of stuck-creating (it has none)' },
    { text: "exits exitCode=256", wantError: '"256" is not an exit code (0-255)' },
    { text: "ready after=soon", wantError: 'cannot read duration "soon"' },
    { text: "ready after=-1s", wantError: 'cannot read behaviour "ready after=-1s": after must not be negative' },
  ];
  test.each(cases)("$text", ({ text, wantError }) => {
    expect(() => parseBehaviour(text)).toThrow(wantError);
  });
});
