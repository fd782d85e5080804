import { request } from "node:http";

/** Whether an engine answers here. */
export function answers(socketPath: string, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    request({ socketPath, path: "/_ping", signal, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    })
      .on("error", () => resolve(false))
      .end();
  });
}
