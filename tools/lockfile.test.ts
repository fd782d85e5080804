import { expect, test } from "vitest";
import { missingEntries } from "./lockfile.ts";

test("every build for a platform that is named and has no entry gets one", () => {
  const packages = {
    "": {},
    "node_modules/tool": {
      dev: true,
      optionalDependencies: {
        "@tool/cli-linux-x64": "1.2.3",
        "@tool/cli-linux-x64-musl": "1.2.3",
        "@tool/cli-darwin-arm64": "1.2.3",
        "@tool/cli-win32-x64-msvc": "1.2.3",
        "@tool/cli-wasm32-wasi": "1.2.3",
        fsevents: "^2.3.0",
      },
    },
    "node_modules/@tool/cli-linux-x64": { version: "1.2.3" },
  };
  const entry = { version: "1.2.3", dev: true, optional: true };
  expect(Object.fromEntries(missingEntries({ packages }))).toEqual({
    "node_modules/@tool/cli-linux-x64-musl": { ...entry, os: ["linux"], cpu: ["x64"], libc: ["musl"] },
    "node_modules/@tool/cli-darwin-arm64": { ...entry, os: ["darwin"], cpu: ["arm64"] },
    "node_modules/@tool/cli-win32-x64-msvc": { ...entry, os: ["win32"], cpu: ["x64"] },
    "node_modules/@tool/cli-wasm32-wasi": { ...entry, cpu: ["wasm32"] },
  });
});
