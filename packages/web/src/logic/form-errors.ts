/** Which field of a form about a player an error belongs to. */
import { accountTexts } from "../texts-account.ts";
import { missingAttributes, type PlayerAttribute } from "./player-attributes.ts";

/** By the name of the field, or `attributes.` and the name of the attribute. */
export type FormErrors = Record<string, string>;

export interface PlayerForm {
  name: string;
  code?: string;
  email?: string;
  attributes: Record<string, string>;
}

/** What can be found out before anything is sent. */
export function findFormErrors({ name, code, attributes }: PlayerForm, asked: readonly PlayerAttribute[]): FormErrors {
  const empty = [
    ...(name.trim() === "" ? ["name"] : []),
    ...(code?.trim() === "" ? ["code"] : []),
    ...missingAttributes(asked, attributes).map((attribute) => `attributes.${attribute.name}`),
  ];
  return Object.fromEntries(empty.map((field) => [field, accountTexts.registration.missing]));
}

/** The answer of the API, at its field. Empty where it is about no field of the form. */
export function errorsOfProblem(
  problem: { code: string; field?: string | undefined; detail: string },
  fields: readonly string[],
): FormErrors {
  const named = problem.code === "registration_code_wrong" ? "code" : problem.field;
  // Some validators write the path with slashes.
  const field = named?.replace(/^\//, "").replaceAll("/", ".");
  return field !== undefined && fields.includes(field) ? { [field]: problem.detail } : {};
}

/** Those of the attributes, by their names. */
export function attributeErrors(errors: FormErrors): Record<string, string> {
  const prefix = "attributes.";
  const own = Object.entries(errors).filter(([field]) => field.startsWith(prefix));
  return Object.fromEntries(own.map(([field, text]) => [field.slice(prefix.length), text]));
}
