/** Clients of the original write the keys of a request in any case (`Challenge`); the schemas know one spelling. */
import type { FastifySchemaCompiler } from "fastify";
import { validatorCompiler } from "fastify-type-provider-zod";
import { z } from "zod";

/** Validates as the zod compiler does, after the keys of a body are spelt as its schema has them. */
export const validateAnyCase: FastifySchemaCompiler<z.ZodType> = (route) => {
  const validate = validatorCompiler(route);
  const { schema, httpPart } = route;
  if (httpPart !== "body" || !(schema instanceof z.ZodObject)) return validate;
  const spelling = new Map(Object.keys(schema.shape).map((key) => [key.toLowerCase(), key]));
  return (body) => validate(respell(body, spelling));
};

/** A key that is spelt right wins over others. Keys below the first level are names that organisers chose. */
function respell(body: unknown, spelling: ReadonlyMap<string, string>): unknown {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
  const entries = Object.entries(body);
  return Object.fromEntries([
    ...entries.map(([key, value]) => [spelling.get(key.toLowerCase()) ?? key, value]),
    ...entries.filter(([key]) => spelling.get(key.toLowerCase()) === key),
  ]);
}
