/**
 * Kubernetes promises that versions of one resource are whole numbers that grow, however long. Of one that is none
 * nothing can be said, and so not that it is older.
 */
export function isOlder(version: string, than: string): boolean {
  const older = version.length === than.length ? version < than : version.length < than.length;
  return older && isNumber(version) && isNumber(than);
}

function isNumber(version: string): boolean {
  return /^\d+$/.test(version);
}
