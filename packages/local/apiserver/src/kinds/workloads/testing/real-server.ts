/** A real API server, asked as plainly as can be. */
import { Agent, request } from "node:https";
import { type ControlPlane, startControlPlane } from "../../../../../../../test/control-plane/control-plane.ts";

export interface Answer {
  code: number;
  body: Record<string, unknown>;
  warnings: string[];
}

/** Whatever would change a pod for reasons that are not the pod's own. */
const disabledPlugins = [
  ...["ServiceAccount", "DefaultTolerationSeconds", "Priority", "LimitRanger", "ResourceQuota", "RuntimeClass"],
  ...["TaintNodesByCondition", "PodSecurity"],
];

export class RealServer implements AsyncDisposable {
  readonly #controlPlane: ControlPlane;
  readonly #agent: Agent;

  constructor(controlPlane: ControlPlane) {
    this.#controlPlane = controlPlane;
    this.#agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  }

  /** `enabled`: admission plugins that take part all the same. */
  static async start(...enabled: string[]): Promise<RealServer> {
    const disabled = disabledPlugins.filter((plugin) => !enabled.includes(plugin));
    const apiServerFlags = [`--disable-admission-plugins=${disabled.join(",")}`];
    return new RealServer(await startControlPlane({ controllerManager: false, scheduler: false, apiServerFlags }));
  }

  ask(method: string, path: string, body?: unknown, accept = "application/json"): Promise<Answer> {
    const { server, token } = this.#controlPlane;
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json", Accept: accept };
    return new Promise((resolve, reject) => {
      const sent = request(`${server}${path}`, { method, headers, agent: this.#agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const warnings = [response.headers.warning ?? []].flat() as string[];
          resolve({
            code: response.statusCode ?? 0,
            body: JSON.parse(Buffer.concat(chunks).toString()),
            warnings: warnings.flatMap((text) => text.split(/, (?=299 )/)).map(warningText),
          });
        });
      });
      sent.on("error", reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#agent.destroy();
    await this.#controlPlane.stop();
  }
}

/** `299 - "a \"b\""` is `a "b"`. */
function warningText(header: string): string {
  const quoted = header.slice(header.indexOf('"'));
  return quoted.slice(1, -1).replace(/\\(.)/g, "$1");
}
