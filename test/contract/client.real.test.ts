import { describe } from "vitest";
import { missingControlPlane } from "../control-plane/binaries.ts";
import { clientContract } from "./contract.ts";
import { realSubject } from "./subjects.ts";

describe.skipIf(await missingControlPlane())("the client on a real control plane", () => clientContract(realSubject));
