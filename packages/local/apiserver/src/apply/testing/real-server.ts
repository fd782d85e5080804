/** Requests to a real API server, as they are, over one connection. */
import { Agent, request } from "node:https";
import type { ControlPlane } from "../../../../../../test/control-plane/control-plane.ts";
import type { JsonObject } from "../values.ts";

export class RealServer {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 2 });
  readonly #controlPlane: ControlPlane;

  constructor(controlPlane: ControlPlane) {
    this.#controlPlane = controlPlane;
  }

  async ask(method: string, path: string, type: string, body: unknown): Promise<JsonObject> {
    const { connection } = this.#controlPlane;
    const { ca } = await connection.tls();
    const authorization = await connection.authorization();
    const headers = { "content-type": type, ...(authorization && { authorization }) };
    return new Promise((resolve, reject) => {
      const options = { method, headers, ca, agent: this.#agent };
      const sent = request(`${connection.server}${path}`, options, async (response) => {
        let text = "";
        for await (const chunk of response.setEncoding("utf8")) text += chunk;
        resolve(text.startsWith("{") ? JSON.parse(text) : { kind: "Status", message: text });
      });
      // Nobody reads the body of a GET: it would be taken for the beginning of the next request.
      sent.on("error", reject).end(method === "GET" ? undefined : JSON.stringify(body));
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
