/** A garden for tests: see README.md. */
export { type Account, fillPool, makePool, type PoolWanted, plainPool } from "./accounts/accounts.ts";
export { type Claimed, type ClaimerOptions, claimFromOutside } from "./accounts/claimer.ts";
export { type GardenOptions, startGarden, type TestGarden } from "./garden.ts";
export {
  aborted,
  type Course,
  erring,
  failing,
  recovering,
  type Script,
  stuck,
  succeeding,
  unscheduled,
} from "./gardenlet/course.ts";
export { type Gardenlet, type GardenletOptions, type PlantedGarden, startGardenlet } from "./gardenlet/gardenlet.ts";
export { type Cloud, cloudProfileOf, sampleShoot } from "./samples.ts";
export { missingGardener } from "./server/binary.ts";
export { installGardenCrds } from "./stand-ins/install.ts";
export type { GardenTarget } from "./target.ts";
