/** Players on the wire. */
import { formatTime } from "@berg/apimachinery";
import type { PlayerAttribute } from "@berg/resources";
import type { AdminPlayer, CurrentPlayer, Player as WirePlayer } from "../wire.ts";
import { publicAttributes } from "./attributes.ts";
import type { Player } from "./store.ts";

/** As everybody sees it. */
export function presentPlayer({ id, name, attributes }: Player, configured: readonly PlayerAttribute[]): WirePlayer {
  return { id, name, attributes: publicAttributes(configured, attributes) };
}

/** As the player sees it. */
export function presentCurrentPlayer(player: Player): CurrentPlayer {
  const { id, name, roles, federatedId, apiKeyPlaceholder, attributes, email } = player;
  return { id, name, roles, federatedId, apiKeyPlaceholder, attributes: { ...attributes }, email };
}

export function presentAdminPlayer(player: Player): AdminPlayer {
  const { id, name, roles, providerRoles, createdAt, federatedId } = player;
  return { id, name, roles, providerRoles, createdAt: formatTime(createdAt), federatedId };
}
