export function bearer(token: string): string {
  return `Bearer ${token}`;
}

/** Anything else could not stand in a header, and the HTTP client's error would come late and say little. */
export function isToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}
