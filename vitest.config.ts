import { defineConfig } from "vitest/config";

const everywhere = [
  "packages/*/src/**",
  "packages/web/build/**",
  "packages/local/*/src/**",
  "deploy/**",
  "docs/**",
  "test/**",
  "tools/**",
];

// These limits only end a test that hangs: no test shows by them that something is fast, and on a busy machine a test
// may take twenty times as long as alone.
const patient = { testTimeout: 180_000, hookTimeout: 180_000, expect: { poll: { timeout: 60_000 } } };

// Projects by what they need: `unit` nothing but Node; `whole` nothing but Node and time, as whole programs and controllers
// live there in seconds and not in steps; `real` starts a real kube-apiserver (test/control-plane); `node` runs real
// containers on it (test/node) and so needs root; `containers` needs root and a container engine (test/engine).
// Where several are asked for they run in this order, one after the other: each has its own number of files at a time.
export default defineConfig({
  test: {
    reporters: ["default", "./test/contract/columns.ts"],
    projects: [
      {
        test: {
          name: "unit",
          sequence: { groupOrder: 0 },
          // Vitest's own choice on two processors is one.
          maxWorkers: 2,
          ...patient,
          include: everywhere.map((folder) => `${folder}/*.test.ts`),
          exclude: ["**/*.{whole,real,node,containers}.test.ts", "**/node_modules/**"],
        },
      },
      {
        test: {
          name: "whole",
          sequence: { groupOrder: 1 },
          include: everywhere.map((folder) => `${folder}/*.whole.test.ts`),
          exclude: ["**/node_modules/**"],
          // Most of them wait for timers and processes rather than for a processor.
          maxWorkers: 3,
          ...patient,
        },
      },
      {
        test: {
          name: "real",
          sequence: { groupOrder: 2 },
          include: everywhere.map((folder) => `${folder}/*.real.test.ts`),
          exclude: ["**/node_modules/**"],
          globalSetup: ["test/control-plane/global-setup.ts"],
          testTimeout: 120_000,
          hookTimeout: 300_000,
          // Each file runs a control plane of its own, which waits more than it works: two at a time leave half of two
          // processors idle.
          maxWorkers: 3,
        },
      },
      {
        test: {
          name: "node",
          sequence: { groupOrder: 3 },
          include: everywhere.map((folder) => `${folder}/*.node.test.ts`),
          exclude: ["**/node_modules/**"],
          globalSetup: ["test/node/global-setup.ts"],
          testTimeout: 120_000,
          hookTimeout: 300_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: "containers",
          sequence: { groupOrder: 4 },
          include: everywhere.map((folder) => `${folder}/*.containers.test.ts`),
          exclude: ["**/node_modules/**"],
          globalSetup: ["test/engine/global-setup.ts"],
          testTimeout: 180_000,
          hookTimeout: 300_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
