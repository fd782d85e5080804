/**
 * Typed SQL (Kysely) on PostgreSQL and on SQLite files, with migrations and errors that people can read.
 *
 * Terms:
 * - address: where a database is, parsed from one string: a `postgres://` URL or the path of a SQLite file. Its
 *   `shown` form names the database in messages and never contains the password.
 * - component: a part of Berg that owns tables (`runtime`, `api`). Several components may share one database or one
 *   SQLite file: each has its own migrations, its own table of applied migrations and its own migration lock.
 * - migration: one released change to the tables of a component. `openDatabase` applies those that are missing, all in
 *   one transaction.
 * - DatabaseError: the only error that a query fails with. It says which database failed and how to fix it, and tells
 *   apart what callers treat differently: the database is unavailable, or a row with this key exists.
 * - named statement: a statement that PostgreSQL has parsed and planned once for a connection.
 * - notification: a message between processes over PostgreSQL (LISTEN, NOTIFY). It may be lost.
 *
 * Files in the order in which data is processed: address → dialect (sqlite, postgres, named-statements) → errors
 * (driver-errors, database-error) → migrate → database, which puts them together. transact and listen stand beside.
 */
export { type DatabaseAddress, type PostgresAddress, readDatabaseAddress, type SqliteAddress } from "./address.ts";
export { type Database, type DatabaseOptions, openDatabase, type PoolUsage } from "./database.ts";
export { DatabaseError } from "./database-error.ts";
export { listen } from "./listen.ts";
export type { Component } from "./migrate.ts";
export { requestTimeouts } from "./postgres.ts";
export type { SqliteOptions } from "./sqlite.ts";
export { transact } from "./transact.ts";
