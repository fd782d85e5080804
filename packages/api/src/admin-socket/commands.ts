/** What `berg admin` can ask for, of a running API or of its database alone. */
import { z } from "zod";
import { type AccountDeps, findAccount, linkForName, refuseNamesake, setRoles } from "../players/accounts.ts";
import { roles } from "../players/store.ts";
import { ProblemError } from "../problems.ts";
import { createPlayerRequest } from "../wire.ts";

const name = createPlayerRequest.shape.name;
const roleList = z.array(z.enum(roles));

export const adminCommand = z.discriminatedUnion("command", [
  z.object({ command: z.literal("link"), name, roles: roleList, kind: z.enum(["personal", "one-time"]) }),
  z.object({ command: z.literal("roles"), name, roles: roleList }),
]);
export type AdminCommand = z.infer<typeof adminCommand>;

/** What it is answered with: to be printed. */
export interface AdminAnswer {
  output: string;
}

export async function runAdminCommand(deps: AccountDeps, command: AdminCommand): Promise<AdminAnswer> {
  switch (command.command) {
    case "link":
      return { output: await linkForName(deps, command) };
    case "roles": {
      const found = await findAccount(deps, command.name);
      if (!found) {
        await refuseNamesake(deps, command.name);
        throw new ProblemError("not_found", `There is no account "${command.name}". berg admin link creates it.`);
      }
      const { roles: granted } = await setRoles(deps, found.id, command.roles);
      return { output: `${found.name}: ${granted.join(", ")}` };
    }
  }
}
