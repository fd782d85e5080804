import { defineConfig } from "vitest/config";

const everywhere = ["packages/*/src/**", "packages/local/*/src/**", "deploy/**", "docs/**", "test/**", "tools/**"];

// Projects by what a machine must have: `unit` needs nothing but Node; `real` starts a real kube-apiserver
// (test/control-plane) and so takes its time; `node` runs real containers on it (test/node) and so needs root;
// `containers` needs root and a container engine (test/engine).
export default defineConfig({
  test: {
    reporters: ["default", "./test/contract/columns.ts"],
    projects: [
      {
        test: {
          name: "unit",
          // Many wait for timers and processes rather than for a processor; Vitest's own choice on two is one.
          maxWorkers: 2,
          // A busy machine is no mistake of ours: no test proves by these that something is fast.
          testTimeout: 30_000,
          hookTimeout: 30_000,
          expect: { poll: { timeout: 20_000 } },
          include: everywhere.map((folder) => `${folder}/*.test.ts`),
          exclude: ["**/*.{real,node,containers}.test.ts", "**/node_modules/**"],
        },
      },
      {
        test: {
          name: "real",
          include: everywhere.map((folder) => `${folder}/*.real.test.ts`),
          exclude: ["**/node_modules/**"],
          globalSetup: ["test/control-plane/global-setup.ts"],
          testTimeout: 120_000,
          hookTimeout: 300_000,
          // Each file runs a control plane of its own, which waits more than it works: two take half as long as one by one.
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: "node",
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
