/** Requests to the API. Whatever goes wrong is thrown as an ApiProblem. */
import type { Problem } from "@berg/api/wire";
import { texts } from "../texts.ts";
import { type Outage, reportRequest } from "./connection.ts";

/** What the server answered instead of the result; `status` 0 where no answer came. */
export class ApiProblem extends Error {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  /** The field of the request that is wrong. */
  readonly field: string | undefined;
  /** Seconds after which a retry makes sense. */
  readonly retryAfter: number | undefined;

  constructor({ status, code, title, detail, field, retryAfter }: Omit<Problem, "type">) {
    super(`${title}: ${detail}`);
    this.name = "ApiProblem";
    this.status = status;
    this.code = code;
    this.title = title;
    this.detail = detail;
    this.field = field;
    this.retryAfter = retryAfter;
  }

  /** Whether the request can be repeated as it is: nothing is wrong with it, the server was just not there. */
  get isTemporary(): boolean {
    return this.status === 0 || this.status === 503;
  }
}

export async function request<Result>(method: string, path: string, body?: unknown, signal?: AbortSignal) {
  const response = await send(path, {
    method,
    credentials: "same-origin",
    headers: { accept: "application/json", ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  if (!response.ok) {
    const problem = await readProblem(response);
    reportRequest(outageOf(problem) ?? "answered");
    throw problem;
  }
  reportRequest("answered");
  const text = await response.text();
  return (text === "" ? undefined : JSON.parse(text)) as Result;
}

async function send(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    reportRequest("unreachable");
    throw new ApiProblem({ status: 0, code: "offline", ...texts.problems.unreachable });
  }
}

/** A proxy in front of the API may answer with a body of its own, so nothing in it is taken for granted. */
async function readProblem(response: Response): Promise<ApiProblem> {
  const body: Partial<Problem> = await response.json().catch(() => ({}));
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  const retryAfter = body.retryAfter ?? (Number.isFinite(seconds) ? seconds : undefined);
  const { status } = response;
  const code = body.code ?? "unknown";
  const fallback = status === 503 ? texts.problems.restarting : texts.problems.unknown(status);
  // Outages are described for players, who know neither the database nor Kubernetes.
  const outage = outageOf({ status, code });
  const { title, detail } = outage ? texts.problems[outage] : { ...fallback, ...body };
  return new ApiProblem({
    status,
    code,
    title,
    detail,
    ...(body.field !== undefined && { field: body.field }),
    ...(retryAfter !== undefined && { retryAfter }),
  });
}

/** What is out of order behind the API, or the API itself; undefined where all of it works. */
function outageOf({ status, code }: Pick<Problem, "status" | "code">): Outage | undefined {
  if (status !== 503) return undefined;
  if (code === "database_unavailable") return "database";
  return code === "kubernetes_unavailable" ? "kubernetes" : "restarting";
}
