/** The reference page as HTML, made of the OpenAPI document. Without scripts and inline styles, which our CSP refuses. */
import { problemCodes } from "../problems.ts";
import { type Field, fieldsOf, type JsonSchema, typeOf } from "./schema-fields.ts";

export interface OpenApiDocument {
  info: { title: string; version: string };
  paths?: Record<string, Record<string, Operation>>;
}

interface Operation {
  summary?: string;
  tags?: string[];
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema?: JsonSchema }[];
  requestBody?: { content?: Record<string, { schema?: JsonSchema }> };
  responses?: Record<string, { description?: string; content?: Record<string, { schema?: JsonSchema }> }>;
}

interface Listed extends Operation {
  method: string;
  path: string;
}

export const styleSheet = "/api/docs/style.css";

export function renderDocs(document: OpenApiDocument, headers: Readonly<Record<string, string>>): string {
  const operations = listOperations(document);
  const tags = [...new Set(operations.map(tagOf))];
  const title = `${document.info.title} API`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="${styleSheet}">
</head>
<body>
<header>
<h1>${escapeHtml(title)}</h1>
<p>Version ${escapeHtml(document.info.version)}. The same as an <a href="/api/openapi.json">OpenAPI document</a>.</p>
</header>
<nav aria-label="Contents">
${tags.map((tag) => renderContents(tag, operations)).join("\n")}
<ul><li><a href="#errors">Errors</a></li><li><a href="#headers">Headers</a></li></ul>
</nav>
<main>
${renderBasics()}
${tags.map((tag) => renderTag(tag, operations)).join("\n")}
${renderErrors()}
${renderHeaders(headers)}
</main>
</body>
</html>
`;
}

function listOperations({ paths = {} }: OpenApiDocument): Listed[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() })),
  );
}

const tagOf = ({ tags }: Operation) => tags?.[0] ?? "other";
const idOf = ({ method, path }: Listed) => `${method}${path}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");

function renderBasics(): string {
  return `<section>
<h2>Who asks</h2>
<p>Pages send the session cookie; with an unsafe method they must send their own <code>Origin</code>. Other clients send
an API key, as <code>Authorization: Bearer &lt;key&gt;</code>. Times are RFC 3339 in UTC. A body is JSON of at most
64 kB.</p>
<p><code>GET /api/events</code> is a WebSocket. Each text frame is <code>{"type": …, "message": …}</code>; the server sends
changes of challenges and of the own instance.</p>
</section>`;
}

function renderContents(tag: string, operations: Listed[]): string {
  const items = operations
    .filter((operation) => tagOf(operation) === tag)
    .map(
      (operation) =>
        `<li><a href="#${idOf(operation)}">${escapeHtml(operation.method)} ${escapeHtml(operation.path)}</a></li>`,
    );
  return `<h2>${escapeHtml(tag)}</h2>\n<ul>${items.join("")}</ul>`;
}

function renderTag(tag: string, operations: Listed[]): string {
  const own = operations.filter((operation) => tagOf(operation) === tag);
  return `<section>\n<h2>${escapeHtml(tag)}</h2>\n${own.map(renderOperation).join("\n")}\n</section>`;
}

function renderOperation(operation: Listed): string {
  const { method, path, summary = "", parameters = [], requestBody, responses = {} } = operation;
  const body = schemaIn(requestBody?.content);
  const params = parameters.map(({ name, schema = {}, required, description = "", in: place }) => ({
    path: name,
    type: `${typeOf(schema)}, in the ${place}`,
    isRequired: required ?? false,
    description: description || (schema.description ?? ""),
  }));
  return `<article id="${idOf(operation)}">
<h3><span class="method ${method.toLowerCase()}">${escapeHtml(method)}</span> <code>${escapeHtml(path)}</code></h3>
<p>${escapeHtml(summary)}</p>
${renderFields("Parameters", params)}
${body ? renderFields("Body", fieldsOf(body)) : ""}
${Object.entries(responses)
  .map(([status, response]) => renderResponse(status, response))
  .join("\n")}
</article>`;
}

function renderResponse(status: string, { description, content }: NonNullable<Operation["responses"]>[string]): string {
  // Every error has the fields that the table of errors describes.
  if (Number(status) >= 400) return `<p class="status">${escapeHtml(status)}: an <a href="#errors">error</a></p>`;
  const schema = schemaIn(content);
  const text = schema?.description ?? (description === "Default Response" ? "" : (description ?? ""));
  return `<p class="status">${escapeHtml(status)}${text ? `: ${escapeHtml(text)}` : ""}</p>
${schema ? renderFields("Answer", fieldsOf(schema)) : ""}`;
}

function schemaIn(content: Record<string, { schema?: JsonSchema }> | undefined): JsonSchema | undefined {
  return content && Object.values(content)[0]?.schema;
}

function renderFields(title: string, fields: Field[]): string {
  if (fields.length === 0) return "";
  const rows = fields.map(({ path, type, isRequired, description }) => [
    path === "" ? "" : `<code>${escapeHtml(path)}</code>${isRequired ? "" : " <small>optional</small>"}`,
    escapeHtml(type),
    escapeHtml(description),
  ]);
  return renderTable(title, ["Field", "Type", "Meaning"], rows);
}

function renderErrors(): string {
  const rows = Object.entries(problemCodes).map(([code, { status, title }]) => [
    `<code>${escapeHtml(code)}</code>`,
    String(status),
    escapeHtml(title),
  ]);
  return `<section id="errors">
<h2>Errors</h2>
<p>An error is <code>application/problem+json</code> (RFC 9457) with <code>type</code>, <code>title</code>,
<code>status</code>, <code>detail</code> (what to do, for people) and <code>code</code> (stable, for programs); where it
applies also <code>field</code> (of the request) and <code>retryAfter</code> (seconds, as the header
<code>Retry-After</code>).</p>
${renderTable("Codes", ["Code", "Status", "Title"], rows)}
</section>`;
}

function renderHeaders(headers: Readonly<Record<string, string>>): string {
  const rows = Object.entries(headers).map(([name, value]) => [`<code>${escapeHtml(name)}</code>`, escapeHtml(value)]);
  return `<section id="headers">
<h2>Headers</h2>
<p>Every answer has these, and those of the API also <code>cache-control: no-store</code>.</p>
${renderTable("Headers of every answer", ["Header", "Value"], rows)}
</section>`;
}

/** Cells are HTML. */
function renderTable(caption: string, head: string[], rows: string[][]): string {
  const cells = (row: string[]) => row.map((cell) => `<td>${cell}</td>`).join("");
  return `<div class="table" tabindex="0" role="region" aria-label="${escapeHtml(caption)}"><table>
<caption>${escapeHtml(caption)}</caption>
<thead><tr>${head.map((name) => `<th scope="col">${escapeHtml(name)}</th>`).join("")}</tr></thead>
<tbody>${rows.map((row) => `<tr>${cells(row)}</tr>`).join("\n")}</tbody>
</table></div>`;
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");
}
