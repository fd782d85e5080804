/** Everything that a rule can call. */
import { Functions } from "../functions.ts";
import { authorizers } from "./authorizer.ts";
import { conversions } from "./conversions.ts";
import { formats } from "./formats.ts";
import { lists } from "./lists.ts";
import { network } from "./network.ts";
import { operators } from "./operators.ts";
import { optionals } from "./optionals.ts";
import { quantities } from "./quantities.ts";
import { regex } from "./regex.ts";
import { semver } from "./semver.ts";
import { sets } from "./sets.ts";
import { strings } from "./strings.ts";
import { timestamps } from "./timestamps.ts";
import { urls } from "./urls.ts";

export const functions = new Functions([
  ...operators,
  ...conversions,
  ...strings,
  ...regex,
  ...lists,
  ...sets,
  ...optionals,
  ...timestamps,
  ...urls,
  ...network,
  ...quantities,
  ...formats,
  ...semver,
  ...authorizers,
]);

/** Types that can be named: `type(self) == string`. By their name, what `type` gives. */
export const typeNames: ReadonlyMap<string, string> = new Map([
  ...["bool", "int", "uint", "double", "string", "bytes", "list", "map", "null_type", "type"].map(
    (name) => [name, name] as const,
  ),
]);
