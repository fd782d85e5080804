/** Where the embedded control plane differs from a real one, it is wrong. */
import { describe } from "vitest";
import { clientContract } from "./contract.ts";
import { differences } from "./differences.ts";
import { embeddedSubject } from "./subjects.ts";

describe("the client on the embedded control plane", { timeout: 60_000 }, () =>
  clientContract(embeddedSubject, differences),
);
