/** The same checks as client.real.test.ts, in the same run: columns.ts compares the results of the two. */
import { describe } from "vitest";
import { clientContract } from "./contract.ts";
import { differences } from "./differences.ts";
import { embeddedSubject } from "./subjects.ts";

describe("the client on the embedded control plane", () => clientContract(embeddedSubject, differences));
