/** Which database each test gets: SQLite, unless a suite runs all tests again on PostgreSQL. */

let create: (() => Promise<string>) | undefined;

/** From now on, in this test file. */
export function useTestDatabases(factory: () => Promise<string>): void {
  create = factory;
}

/** The address of an empty database; `file` in place of one in memory. */
export async function newTestDatabase(file = ":memory:"): Promise<string> {
  return create ? create() : file;
}
