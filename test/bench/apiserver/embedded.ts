/** The embedded API server alone, as the real one is measured alone: no controllers, no node. */
import { startApiServer } from "@berg/local-apiserver";
import { report, settingsOf } from "../runtime/child.ts";

const { url, caPem, token } = await startApiServer(settingsOf<{ dataDir: string }>());
report({ server: url, ca: caPem, token, pid: process.pid });
