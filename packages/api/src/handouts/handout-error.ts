/** Why a handout cannot be had. For the log of the organiser: players are told that it cannot be had. */
export class HandoutError extends Error {
  override readonly name = "HandoutError";
}
