/** Replicas of `berg api` as its Deployment starts them, and a client that speaks to them as a browser does. */
import { randomUUID } from "node:crypto";
import { request } from "node:http";
import { join } from "node:path";
import { type Client, ConfigMaps, Deployments, Secrets } from "@berg/kube";
import type { ControlPlane } from "@berg/test";
import { expect } from "vitest";
import { buildPages } from "../../packages/web/build/build-pages.ts";
import { kubeconfigOf, Replica } from "./replica.ts";

export const deployApi = join(import.meta.dirname, "../api");

/** With the environment of the Deployment, except for ports: those of the test are free ones of 127.0.0.1. */
export async function startApiReplica(controlPlane: ControlPlane, admin: Client): Promise<ApiReplica> {
  const KUBECONFIG = await kubeconfigOf(controlPlane, admin, { name: "berg-api", namespace: "berg" });
  const { directory: PAGES_DIR } = await buildPages();
  const env = { ...(await environmentOf(admin, "berg", "berg-api")), KUBECONFIG, PAGES_DIR };
  const replica = new Replica("api", { ...env, API_HOST: "127.0.0.1", API_PORT: "0" });
  const isServing = () => replica.said("serving");
  await expect.poll(isServing, { timeout: 60_000, message: "berg api serves" }).toBe(true);
  const { port = 0, healthPort = 0, metricsPort = 0 } = replica.lines.find(({ msg }) => msg === "serving") ?? {};
  const isReady = async () => (await send(healthPort, "/readyz")).status;
  await expect.poll(isReady, { timeout: 60_000, message: "berg api is ready" }).toBe(200);
  return { replica, env, port, healthPort, metricsPort };
}

export interface ApiReplica {
  replica: Replica;
  /** Of its process. */
  env: Record<string, string>;
  port: number;
  healthPort: number;
  metricsPort: number;
}

interface ContainerSpec {
  envFrom?: { configMapRef?: { name: string }; secretRef?: { name: string; optional?: boolean } }[];
  env?: { name: string; value?: string; valueFrom?: { fieldRef?: { fieldPath: string } } }[];
}

/** What the kubelet, which is not there, would give the first container of a pod. */
export async function environmentOf(admin: Client, namespace: string, name: string): Promise<Record<string, string>> {
  const { spec } = await admin.get(Deployments, namespace, name);
  const pod = (spec?.template?.spec ?? {}) as { containers?: ContainerSpec[] };
  const [container] = pod.containers ?? [];
  const env: Record<string, string> = {};
  for (const { configMapRef, secretRef } of container?.envFrom ?? []) {
    if (configMapRef) Object.assign(env, (await admin.get(ConfigMaps, namespace, configMapRef.name)).data);
    if (!secretRef) continue;
    const { data = {} } = await admin.get(Secrets, namespace, secretRef.name);
    for (const [key, value] of Object.entries(data)) env[key] = Buffer.from(value, "base64").toString("utf8");
  }
  const fields: Record<string, string> = { "metadata.namespace": namespace, "metadata.uid": randomUUID() };
  for (const { name: key, value, valueFrom } of container?.env ?? []) {
    env[key] = value ?? fields[valueFrom?.fieldRef?.fieldPath ?? ""] ?? "";
  }
  return env;
}

export interface Answer {
  status: number;
  text: string;
  cookie: string;
}

/** One browser: it keeps the session cookie, and sends Host and Origin of the public URL. */
export class Browser {
  readonly #port: number;
  readonly #publicUrl: string;
  #cookie = "";

  constructor(port: number, publicUrl: string) {
    this.#port = port;
    this.#publicUrl = publicUrl;
  }

  /** The body of the answer; throws where it is an error. */
  async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.ask(method, path, body);
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return (answer.text === "" ? undefined : JSON.parse(answer.text)) as T;
  }

  async ask(method: string, path: string, body?: unknown): Promise<Answer> {
    const answer = await send(this.#port, path, {
      method,
      body: body === undefined ? "" : JSON.stringify(body),
      headers: {
        host: new URL(this.#publicUrl).host,
        ...(method !== "GET" && { origin: this.#publicUrl }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(this.#cookie !== "" && { cookie: this.#cookie }),
      },
    });
    if (answer.cookie !== "") this.#cookie = answer.cookie;
    return answer;
  }

  /** Opens a sign-in link and confirms it. */
  async signIn(link: string): Promise<void> {
    await this.call("POST", "/api/sign-in", { token: new URL(link.trim()).hash.slice(1) });
  }
}

/** To a port of 127.0.0.1. */
export function send(
  port: number,
  path: string,
  { method = "GET", body = "", headers = {} as Record<string, string> } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request({ host: "127.0.0.1", port, path, method, headers, agent: false }, async (response) => {
      let text = "";
      for await (const piece of response.setEncoding("utf8")) text += piece;
      const [set = ""] = response.headers["set-cookie"] ?? [];
      resolve({ status: response.statusCode ?? 0, text, cookie: set.split(";")[0] ?? "" });
    })
      .on("error", reject)
      .end(body);
  });
}
