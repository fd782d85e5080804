/** A job in a process of its own: what the client costs is not the server's, and the same for both. */
import type { Server } from "../instances/connect.ts";
import { report, settingsOf } from "../runtime/child.ts";
import { Caller } from "./caller.ts";
import { fanOut } from "./fan-out.ts";
import { create, list, patch } from "./jobs.ts";

export type Job =
  | { do: "create and patch"; count: number }
  | { do: "list"; count: number }
  | { do: "fan out"; watchers: number }
  | { do: "fill"; namespace: string; count: number };

const { server, job } = settingsOf<{ server: Server; job: Job }>();
const caller = new Caller(server);
report(await run(job));
caller.close();

async function run(job: Job): Promise<object> {
  switch (job.do) {
    case "create and patch":
      await create(caller, "warm-up", 1000);
      await patch(caller, "warm-up", 1000);
      return {
        creates: await create(caller, "writing", job.count),
        patches: await patch(caller, "writing", job.count),
      };
    case "list":
      return { lists: await list(caller, "reading", job.count) };
    case "fan out":
      return await fanOut(caller, `watching-${job.watchers}`, job.watchers);
    case "fill":
      return { creates: await create(caller, job.namespace, job.count) };
  }
}
