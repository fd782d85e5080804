#!/usr/bin/env node
/**
 * Handles signals first and imports everything else afterwards: the kernel discards a SIGTERM for PID 1 of a container
 * that has no handler yet. A pod that was stopped while it started would go on, lead, and be killed holding its lease.
 */
const untilStopped = new Set(["controller", "listener", "janitor", "clusters", "tunnel", "api", "up", "dev"]);
const exitCodes = { SIGTERM: 143, SIGINT: 130 };

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.on(signal, () => {
    // The command handles it: it has something to stop in order.
    if (process.listenerCount(signal) > 1) return;
    process.exit(untilStopped.has(process.argv[2] ?? "") ? 0 : exitCodes[signal]);
  });
}

const { program } = await import("./program.ts");
await program(process.stdout).parseAsync();
