import { expect, test } from "vitest";
import { dialectOf, podmanDialect } from "./version.ts";

test.each([
  ["the version that this is written for", { ApiVersion: "1.41", MinAPIVersion: "1.12" }, "/v1.41"],
  ["it, with an engine that knows newer ones", { ApiVersion: "1.52", MinAPIVersion: "1.24" }, "/v1.41"],
  ["the engine's oldest, where it has dropped it", { ApiVersion: "1.52", MinAPIVersion: "1.44" }, "/v1.44"],
  ["the engine's newest, where it is older", { ApiVersion: "1.40" }, "/v1.40"],
])("spoken is %s", (_, answer, prefix) => {
  expect(dialectOf(answer).prefix).toBe(prefix);
});

test.each([
  ["one that is too old", { ApiVersion: "1.39" }, "it speaks 1.39, 1.40 is needed"],
  ["what is no engine", {}, "no container engine"],
  ["what says something else", { ApiVersion: "v1beta1" }, "no container engine"],
])("%s is refused", (_, answer, text) => {
  expect(() => dialectOf(answer)).toThrow(text);
});

test("Podman is known by its engine, and not by its API", () => {
  const podman = { ApiVersion: "1.41", Components: [{ Name: "Podman Engine" }, { Name: "Conmon" }] };
  expect(dialectOf(podman).name).toBe("podman");
  expect(dialectOf({ ApiVersion: "1.41", Components: [{ Name: "Engine" }] }).name).toBe("docker");
  expect(dialectOf({ ApiVersion: "1.41", Components: null }).name).toBe("docker");
});

test("Podman is known by what stands over its answers, where the versions of its API do too", () => {
  const podman = { "api-version": "1.41", "libpod-api-version": "4.3.1" };
  expect(podmanDialect(podman)).toEqual({ name: "podman", prefix: "/v1.41" });
  expect(podmanDialect({ ...podman, "api-version": "1.40" })).toMatchObject({ prefix: "/v1.40" });
  expect(() => podmanDialect({ ...podman, "api-version": "1.24" })).toThrow("too old");
  expect(podmanDialect({ "api-version": "1.41" })).toBeUndefined();
  expect(podmanDialect({ "libpod-api-version": "4.3.1" })).toBeUndefined();
});
