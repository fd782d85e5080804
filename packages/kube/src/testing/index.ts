/** Stand-ins for what a test must control: time, and a server's refusals. Never imported by code that ships. */
export * from "./fake-clock.ts";
export * from "./refusal.ts";
