/** Stand-ins for what a test must control: time and chance. Never imported by code that ships. */
export * from "./fake-clock.ts";
