/**
 * Reads the head of an HTTP/1.1 message, and takes only what every server reads the same way (RFC 9112, 2 to 5): lines
 * that end in CRLF, names without spaces around them, one line a field, no control characters.
 */

export interface MessageHead {
  readonly firstLine: string;
  /** As Node gives them: `["Host", "a", "Accept", "b"]`. */
  readonly headers: readonly string[];
  /** Where the body begins. */
  readonly end: number;
}

/** Undefined where something about it is unusual, it is longer than this, or it is not all there. */
export function readHead(bytes: Buffer, headerBytes: number): MessageHead | undefined {
  const at = bytes.subarray(0, headerBytes).indexOf("\r\n\r\n");
  if (at < 0) return undefined;
  const text = bytes.toString("latin1", 0, at + 2);
  const firstEnd = text.indexOf("\r\n");
  const headers: string[] = [];
  field.lastIndex = firstEnd + 2;
  while (field.lastIndex < text.length) {
    const found = field.exec(text);
    if (!found) return undefined;
    headers.push(found[1] as string, trimmed(found[2] as string));
  }
  return { firstLine: text.slice(0, firstEnd), headers, end: at + 4 };
}

/** A name, and a value with the white space around it: left out here, it could be split in many ways, and all be tried. */
const field = /([\w!#$%&'*+.^`|~-]+):([\t\x20-\x7e\x80-\xff]*)\r\n/y;

/** Without spaces and tabs around it; what else JavaScript calls white space belongs to the value. */
function trimmed(value: string): string {
  let [from, to] = [0, value.length];
  while (from < to && isBlank(value.charCodeAt(from))) from++;
  while (from < to && isBlank(value.charCodeAt(to - 1))) to--;
  return value.slice(from, to);
}

const isBlank = (code: number) => code === 32 || code === 9;
