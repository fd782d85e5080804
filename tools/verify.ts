/**
 * Everything about the tree that can be checked without running it: generated files are current, types, lint and
 * format (package boundaries among it), dead code. All steps run; the first failure does not hide the others.
 */
import { spawnSync } from "node:child_process";

const steps: { name: string; command: string; fix: string }[] = [
  {
    name: "generated files",
    command: "node packages/resources/src/generate.ts --check",
    fix: "npm run generate, and commit what it changes (or mend what keeps it from running)",
  },
  {
    name: "lockfile",
    command: "node tools/lockfile.ts --check",
    fix: "npm run lockfile, and commit what it changes",
  },
  { name: "types", command: "tsc && tsc -p packages/web", fix: "see the errors above" },
  {
    name: "lint, format, boundaries",
    command: "biome ci --error-on-warnings",
    fix: "npm run format mends what is FIXABLE; the rest is told above",
  },
  { name: "dead code", command: "knip", fix: "remove what is unused, or use it" },
];

let failed = 0;
for (const { name, command, fix } of steps) {
  const { status } = spawnSync(command, { shell: true, stdio: "inherit" });
  if (status !== 0) failed++;
  process.stdout.write(status === 0 ? `ok    ${name}\n` : `FAIL  ${name}: ${fix}\n`);
}
process.exitCode = failed === 0 ? 0 : 1;
