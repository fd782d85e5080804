/**
 * What Gardener says of an error, fit for a status that many may read: no credentials, and no ids of requests, which
 * differ at each try and would make each try a write.
 */
const withheld: readonly RegExp[] = [
  // Keys of AWS, and what looks like a token or a key: long runs without a break.
  /\b(AKIA|ASIA)[A-Z0-9]{8,}\b/g,
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi,
  /\beyJ[\w-]+(\.[\w-]+)*/g,
  /\b(?=[A-Za-z0-9+/_=]*\d)(?=[A-Za-z0-9+/_=]*[A-Za-z])[A-Za-z0-9+/_=]{24,}/g,
  /\b[0-9a-f]{16,}\b/gi,
  // Numbers of accounts.
  /\b\d{10,}\b/g,
];
const secretPairs = /\b(password|secret|token|client_?secret|access_?key(_?id)?)(["']?\s*[:=]\s*["']?)[^\s"',;]+/gi;

const longest = 512;

export function cleanText(text: string): string {
  let clean = text.replace(/\s+/g, " ").trim().replace(secretPairs, "$1$3…");
  for (const pattern of withheld) clean = clean.replace(pattern, "…");
  const characters = [...clean];
  return characters.length <= longest ? clean : `${characters.slice(0, longest - 1).join("")}…`;
}
