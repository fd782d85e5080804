/** `berg admin …`: accounts, for people who have access to the data directory or the database. */
import { type Command, InvalidArgumentError } from "commander";
import { directory } from "../up/up.ts";
import type { LinkOptions, RolesOptions } from "./run-admin.ts";

const roles = ["player", "author", "support", "admin"] as const;
export type Role = (typeof roles)[number];

/** Loaded when it runs: the other commands need no database. */
export function addAdminCommand(berg: Command): void {
  const admin = berg.command("admin").description("create accounts, sign-in links and roles, also while Berg runs");
  const link = admin
    .command("link")
    .argument("[name]", "name or id of the account; Admin, with the role admin, if left out");
  link
    .description("print a sign-in link for an account, which is created if there is none")
    .option("--role <role>", "give the account this role; can be repeated", addRole, [])
    .option("--personal", "a link that signs in until it is replaced; ends the sessions of the account")
    .action((name: string | undefined, options: LinkOptions) =>
      run(async () => (await import("./run-admin.ts")).runLink(name, options)),
    );
  const setRoles = admin.command("roles").argument("<name>", "name or id of the account");
  setRoles
    .argument(
      "[role...]",
      `the roles beside player: ${roles.slice(1).join(", ")}; none takes all of them away`,
      addRole,
    )
    .description("replace the roles of an account; a change ends its sessions and its API key")
    .action((name: string, given: Role[] | undefined, options: RolesOptions) =>
      run(async () => (await import("./run-admin.ts")).runRoles(name, given ?? [], options)),
    );
  for (const command of [link, setRoles]) {
    command
      .option("--data-dir <directory>", "the data directory of berg up, .berg by default", directory)
      .addHelpText("after", databaseHelp);
  }
}

const databaseHelp = `
Environment, without --data-dir:
  DATABASE_URL             the database of berg api: postgres://user:password@host/database
  PUBLIC_URL               as berg api has it: where the links lead`;

/** Of an option or argument that can be repeated. */
function addRole(text: string, before: Role[] = []): Role[] {
  const known = roles.find((one) => one === text);
  if (known === undefined) throw new InvalidArgumentError(`"${text}" is no role. Roles are ${roles.join(", ")}.`);
  return [...before, known];
}

/** Prints the output alone, so that it can be piped; what went wrong goes to stderr. */
async function run(command: () => Promise<string>): Promise<void> {
  try {
    process.stdout.write(`${await command()}\n`);
  } catch (error) {
    process.stderr.write(`error: ${error instanceof Error ? error.message : "it failed"}\n`);
    process.exitCode = 1;
  }
}
