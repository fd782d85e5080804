/** Requests to the API. Whatever goes wrong is thrown as an ApiProblem. */
import type { Problem } from "@berg/api/wire";
import { texts } from "../texts.ts";
import { reportRequest } from "./connection.ts";

/** What the server answered instead of the result; `status` 0 where no answer came. */
export class ApiProblem extends Error {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  /** Seconds after which a retry makes sense. */
  readonly retryAfter: number | undefined;

  constructor({ status, code, title, detail, retryAfter }: Omit<Problem, "type">) {
    super(`${title}: ${detail}`);
    this.name = "ApiProblem";
    this.status = status;
    this.code = code;
    this.title = title;
    this.detail = detail;
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
  reportRequest(response.status === 503 ? "restarting" : "answered");
  if (!response.ok) throw await readProblem(response);
  const text = await response.text();
  return (text === "" ? undefined : JSON.parse(text)) as Result;
}

async function send(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    reportRequest("unreachable");
    throw new ApiProblem({ status: 0, code: "offline", ...texts.problems.offline });
  }
}

/** A proxy in front of the API may answer with a body of its own, so nothing in it is taken for granted. */
async function readProblem(response: Response): Promise<ApiProblem> {
  const body: Partial<Problem> = await response.json().catch(() => ({}));
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  const retryAfter = body.retryAfter ?? (Number.isFinite(seconds) ? seconds : undefined);
  const fallback = response.status === 503 ? texts.problems.restarting : texts.problems.unknown(response.status);
  return new ApiProblem({
    status: response.status,
    code: body.code ?? "unknown",
    title: body.title ?? fallback.title,
    detail: body.detail ?? fallback.detail,
    ...(retryAfter !== undefined && { retryAfter }),
  });
}
