export { challengeArbitrary } from "./challenge.ts";
export { flagArbitrary, nastyFlags } from "./flag.ts";
export { instanceArbitrary } from "./instance.ts";
export { admittedChallengeArbitrary, type WildChallenge, wildChallengeArbitrary } from "./wild-challenge.ts";
