/** Runs the database on its own thread, so that waiting for the disk holds up nobody. Started by sqlite-disk.ts. */
import { parentPort, workerData } from "node:worker_threads";
import { Database } from "./database.ts";
import type { DiskObject, DiskWrite } from "./disk.ts";

export type Request =
  | { do: "open" }
  | { do: "load"; after: number }
  | { do: "commit"; writes: readonly DiskWrite[]; revision: number }
  | { do: "close"; revision: number };

export interface Answers {
  open: number;
  load: { objects: DiskObject[]; last: number };
  commit: undefined;
  close: undefined;
}

export type Answer = { value: Answers[keyof Answers] } | { problem: string };

let database: Database | undefined;

function answer(request: Request): Answers[keyof Answers] {
  if (request.do === "open") {
    database = new Database(workerData as string);
    return database.begin();
  }
  if (!database) throw new Error("the file is not open");
  if (request.do === "load") return database.load(request.after);
  if (request.do === "commit") database.commit(request.writes, request.revision);
  else database.close(request.revision);
  return undefined;
}

parentPort?.on("message", (request: Request) => {
  let result: Answer;
  try {
    result = { value: answer(request) };
  } catch (error) {
    result = { problem: (error as Error).message };
  }
  parentPort?.postMessage(result);
});
