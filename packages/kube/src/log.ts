import { isBadRequest, isInvalid, StatusError } from "@berg/apimachinery";

/**
 * What the runtime asks of a logger; pino's is one. Fields first, then a sentence that does not change, so that lines
 * can be searched. Never an object or a body in the fields: it may hold a flag or a token.
 */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): Logger;
}

export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLogger,
};

/**
 * What went wrong, for a log line, in its own words where those are ours or the server's. Not where they quote what was
 * being read or written, which may hold a flag or a token: a parser's error, a value that the server finds invalid, why
 * an admission webhook or policy denies something, and what is thrown and is no error at all.
 */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return `a ${typeof error} was thrown`;
  if (error instanceof SyntaxError) return `${error.name} (its words are withheld: they quote what was read)`;
  return cut(error instanceof StatusError ? refusalText(error) : error.message);
}

/** A server that is somebody else's may answer with megabytes. */
const longestText = 2000;

function cut(text: string): string {
  return text.length > longestText ? `${text.slice(0, longestText)}…` : text;
}

function refusalText(error: StatusError): string {
  const denial = /^.*? denied (the )?request(?=:)/s.exec(error.message);
  if (denial) return `${denial[0]} (why is withheld: it may quote what was sent)`;
  if (isInvalid(error)) return invalidFields(error);
  if (isBadRequest(error))
    return "the server calls it a bad request (its words are withheld: they quote what was sent)";
  return error.message;
}

function invalidFields({ status }: StatusError): string {
  const fields = status.details?.causes?.flatMap(({ field }) => field || []) ?? [];
  return `the server finds it invalid${fields.length === 0 ? "" : `: ${[...new Set(fields)].join(", ")}`}`;
}

/** Where it was thrown, without its words: those may quote what was being read. */
export function stackOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return error.stack
    ?.split("\n")
    .filter((line) => /^\s+at /.test(line))
    .join("\n");
}
