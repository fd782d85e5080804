/** Secrets. What is in them never stands in an error text. */
import { type FieldError, invalid, required, tooLong } from "../../errors/field-error.ts";
import { builtIn, inStoredForm } from "../built-in.ts";
import { ageColumn, column, nameColumn, textAt } from "../columns.ts";
import { bool, bytes, kept, mapOf, object, text } from "../shapes.ts";
import { frozenErrors, keyErrors, mostBytes } from "./config-map.ts";

interface Secret {
  metadata: { annotations?: Record<string, string> };
  type?: string;
  /** Base64. */
  data?: Record<string, string>;
  /** Of a request only: it goes into `data`. */
  stringData?: Record<string, string>;
}

const schema = object({ immutable: kept(bool()), data: mapOf(bytes()), stringData: mapOf(text()), type: text() });

export const secrets = builtIn({
  resource: "secrets",
  kind: "Secret",
  schema,
  columns: [
    nameColumn,
    column("Type", "What it is for.", (object) => textAt(object, "type")),
    column("Data", "How many values there are.", (object) => Object.keys((object as Secret).data ?? {}).length),
    ageColumn,
  ],
  selectableFields: { type: (object) => textAt(object, "type") },
  strategy: {
    fillIn: inStoredForm(schema, (draft) => {
      const secret = draft as Secret;
      const { stringData } = secret;
      delete secret.stringData;
      if (stringData) secret.data = { ...secret.data, ...encoded(stringData) };
      secret.type ??= "Opaque";
    }),
    validate: (object, old) => [
      ...(old && old.type !== object.type ? [invalid("type", object.type, "field is immutable")] : []),
      ...frozenErrors(object, old, ["data"]),
      ...errorsIn(object),
    ],
    warnings: (object) => keyPairWarnings(object as unknown as Secret),
  },
});

function encoded(texts: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([key, value]) => [key, Buffer.from(value).toString("base64")]));
}

function errorsIn({ metadata, type, data = {} }: Secret): FieldError[] {
  const errors = Object.keys(data).flatMap((key) => keyErrors("data", key));
  const size = Object.values(data).reduce((sum, value) => sum + Buffer.byteLength(value, "base64"), 0);
  if (size > mostBytes) errors.push(tooLong("data", mostBytes));
  const lacks = (...keys: string[]) => keys.filter((key) => !Object.hasOwn(data, key));
  const need = (keys: string[]) => errors.push(...keys.map((key) => required(`data[${key}]`)));
  switch (type) {
    case "kubernetes.io/service-account-token": {
      const account = "kubernetes.io/service-account.name";
      if (!metadata.annotations?.[account]) errors.push(required(`metadata.annotations[${account}]`));
      break;
    }
    case "kubernetes.io/dockercfg":
      errors.push(...jsonErrors(data, ".dockercfg"));
      break;
    case "kubernetes.io/dockerconfigjson":
      errors.push(...jsonErrors(data, ".dockerconfigjson"));
      break;
    case "kubernetes.io/basic-auth":
      if (lacks("username", "password").length === 2) need(["username", "password"]);
      break;
    case "kubernetes.io/ssh-auth":
      if (!data["ssh-privatekey"]) need(["ssh-privatekey"]);
      break;
    case "kubernetes.io/tls":
      need(lacks("tls.crt", "tls.key"));
      break;
  }
  return errors;
}

/** As far as one sees it without reading a certificate: that something is none at all. */
function keyPairWarnings({ type, data = {} }: Secret): string[] {
  if (type !== "kubernetes.io/tls") return [];
  const isPem = (key: string) =>
    /-----BEGIN [^\n]*-----/.test(Buffer.from(data[key] ?? "", "base64").toString("latin1"));
  if (!isPem("tls.crt")) return ["tls: failed to find any PEM data in certificate input"];
  return isPem("tls.key") ? [] : ["tls: failed to find any PEM data in key input"];
}

function jsonErrors(data: Record<string, string>, key: string): FieldError[] {
  const value = data[key];
  if (value === undefined) return [required(`data[${key}]`)];
  const problem = jsonProblem(Buffer.from(value, "base64").toString());
  return problem ? [invalid(`data[${key}]`, "<secret contents redacted>", problem)] : [];
}

function jsonProblem(value: string): string | undefined {
  if (value.trim() === "") return "unexpected end of JSON input";
  try {
    const read: unknown = JSON.parse(value);
    if (read === null || (typeof read === "object" && !Array.isArray(read))) return undefined;
    const type = Array.isArray(read) ? "array" : typeof read === "boolean" ? "bool" : typeof read;
    return `json: cannot unmarshal ${type} into Go value of type map[string]interface {}`;
  } catch {
    // Kubernetes shows the character that it stumbled over, and Node more than that: nobody needs to know it.
    return "it is not valid JSON";
  }
}
