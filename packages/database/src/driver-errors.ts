/**
 * Turns every error of a driver into a DatabaseError, inside the driver: no caller can forget it, so no raw driver error
 * (which may hold the connection settings, with the password) reaches a log. Errors that application code throws in a
 * transaction callback do not pass through the driver and stay as they are.
 */
import { type CompiledQuery, type DatabaseConnection, type Dialect, type Driver, SelectQueryNode } from "kysely";
import { DatabaseError } from "./database-error.ts";

export function translateErrors(dialect: Dialect, shown: string): Dialect {
  return {
    createDriver: () => translateDriver(dialect.createDriver(), shown),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
  };
}

export function isReadQuery({ query, sql }: CompiledQuery): boolean {
  return SelectQueryNode.is(query) || (query.kind === "RawNode" && /^\s*select\b/i.test(sql));
}

/**
 * Patches the driver instead of wrapping it, as Kysely does for its log: PostgresDriver keeps private state on its
 * connections and accepts no others.
 */
function translateDriver(driver: Driver, shown: string): Driver {
  const rethrow = (action: string) => (error: unknown) => {
    throw error instanceof DatabaseError ? error : new DatabaseError(action, shown, error);
  };
  const init = driver.init.bind(driver);
  const acquireConnection = driver.acquireConnection.bind(driver);
  const patched = new WeakSet<DatabaseConnection>();
  driver.init = (options) => init(options).catch(rethrow("open"));
  driver.acquireConnection = async (options) => {
    const connection = await acquireConnection(options).catch(rethrow("connect to"));
    if (!patched.has(connection)) {
      patched.add(connection);
      const executeQuery = connection.executeQuery.bind(connection);
      connection.executeQuery = <R>(query: CompiledQuery) =>
        executeQuery<R>(query).catch(rethrow(isReadQuery(query) ? "read" : "write to"));
    }
    return connection;
  };
  return driver;
}
