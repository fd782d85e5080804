import { isStatus, type Status, StatusError } from "@berg/apimachinery";
import type { Head, Incoming } from "./transport.ts";

/** The JSON of a successful answer; a refusal becomes a StatusError, whoever wrote it. */
export function readAnswer<T>(answer: Incoming): T {
  const text = readText(answer);
  try {
    return JSON.parse(text) as T;
  } catch {
    // Neither the text nor the error of JSON.parse, which quotes it: it may hold a Secret.
    throw new Error(`the server answered ${answer.status} with ${text.length} characters that are not JSON`);
  }
}

/** The text of a successful answer. */
export function readText(answer: Incoming): string {
  if (answer.status >= 300) throw refusal(answer);
  return answer.body.toString("utf8");
}

/** What the server meant by refusing. A proxy in between answers in words of its own: then the code has to do. */
export function refusal(answer: Incoming): StatusError {
  const status = withRetryAfter(parseStatus(answer), answer.headers["retry-after"]);
  return new StatusError(status);
}

function parseStatus(answer: Incoming): Status {
  try {
    const parsed: unknown = JSON.parse(answer.body.toString("utf8"));
    if (isStatus(parsed)) return { ...parsed, code: answer.status };
  } catch {
    // Not JSON: the plain words below.
  }
  const words = wordsOf(answer.body.toString("utf8", 0, 200));
  return {
    apiVersion: "v1",
    kind: "Status",
    status: "Failure",
    code: answer.status,
    message: `the server answered ${answer.status}: ${words}`,
  };
}

function wordsOf(body: string): string {
  // Some proxies send the request back, its token included.
  if (/authorization|bearer/i.test(body)) return "(withheld: it may hold credentials)";
  return body.replace(/\s+/g, " ").trim() || "(nothing)";
}

// In seconds, as Kubernetes writes it. A date, as some proxies do, would need their clock.
function withRetryAfter(status: Status, header: string | string[] | undefined): Status {
  if (typeof header !== "string" || !/^\d+$/.test(header)) return status;
  return { ...status, details: { ...status.details, retryAfterSeconds: Number(header) } };
}

/** `299 - "text"` is how the server says that a field is unknown or an API is on its way out. */
export function warningsOf(answer: Head): string[] {
  return [answer.headers.warning ?? []]
    .flat()
    .flatMap((header) => [...header.matchAll(/\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)])
    .map(([, text = ""]) => text.replace(/\\(.)/g, "$1"));
}
