import { formatTime } from "@berg/apimachinery";
import { findCondition } from "@berg/kube";
import { statusLimits } from "@berg/resources";
import { expect, test } from "vitest";
import { makeInstance, startOfTest } from "../testing/make-objects.ts";
import { StatusDraft } from "./draft.ts";

const draftOf = (instance = makeInstance()) => new StatusDraft({ instance: instance.object, now: startOfTest });

test("no flag gets into a text, whoever quotes it", () => {
  const draft = draftOf(makeInstance().withSpec({ flag: "flag{$1.*}" }));
  draft.hold("Failed", "ChallengeFound", "ChallengeInvalid", "exec flag{$1.*}: not found, flag{$1.*}");
  expect(draft.status.message).toBe("exec [flag]: not found, [flag]");
  expect(JSON.stringify(draft.status)).not.toContain("flag{");
});

test("a flag that is so short that it stands in any word is not cut out of them: the text is withheld", () => {
  const draft = draftOf(makeInstance().withSpec({ flag: "is" }));
  draft.enterBecause("Failed", "OwnerBusy", "this is one");
  expect(draft.status.message).toBe("(withheld: it may quote the flag)");
  draft.enterBecause("Failed", "OwnerBusy", "One at a time");
  expect(draft.status.message).toBe("One at a time");
  expect(draft.quoted("anything")).toBe("(withheld: it may quote the flag)");
});

test("others' words are repeated where no flag is given, or it can be found in them", () => {
  expect(draftOf().quoted("anything")).toBe("anything");
  expect(draftOf(makeInstance().withSpec({ flag: "flag{canary}" })).quoted("anything")).toBe("anything");
});

test("an empty flag hides nothing", () => {
  const draft = draftOf(makeInstance().withSpec({ flag: "" }));
  draft.enterBecause("Failed", "OwnerBusy", "One at a time");
  expect(draft.status.message).toBe("One at a time");
});

test("what is too long is cut: the server would refuse the whole status", () => {
  const draft = draftOf();
  draft.hold("Failed", "ChallengeFound", "ChallengeInvalid", "x".repeat(9000));
  expect(draft.status.message).toHaveLength(statusLimits.message);
  expect(draft.status.message).toMatch(/x…$/);
  expect(findCondition(draft.status.conditions, "ChallengeFound")?.message).toHaveLength(statusLimits.message);
});

test("it says which generation it answers", () => {
  const draft = draftOf(makeInstance().deletedAt(startOfTest));
  draft.condition("Healthy", "True", "Ready", "");
  expect(draft.status.observedGeneration).toBe(2);
  expect(findCondition(draft.status.conditions, "Healthy")?.observedGeneration).toBe(2);
});

test("a condition is there once, and its time moves only with its status", () => {
  const before = makeInstance().withCondition("Healthy", "False", "ContainerCannotStart", startOfTest - 60_000);
  const draft = draftOf(before);
  draft.condition("Healthy", "False", "ContainerCrashes", "It ends");
  expect(draft.status.conditions).toHaveLength(1);
  expect(draft.status.conditions?.[0]?.lastTransitionTime).toBe(formatTime(startOfTest - 60_000));
  draft.condition("Healthy", "True", "Ready", "");
  expect(draft.status.conditions).toHaveLength(1);
  expect(draft.status.conditions?.[0]?.lastTransitionTime).toBe(formatTime(startOfTest));
});

test("a phase that needs no explanation keeps none", () => {
  const draft = draftOf(makeInstance().inPhase("Failed", "OwnerBusy", "One at a time"));
  draft.enter("Creating");
  expect(draft.status).not.toHaveProperty("reason");
  expect(draft.status).not.toHaveProperty("message");
});

test("the instance itself is not changed", () => {
  const { object } = makeInstance().inPhase("Pending").withCondition("Healthy", "True", "Ready");
  const copy = structuredClone(object);
  const draft = new StatusDraft({ instance: object, now: startOfTest });
  draft.hold("Failed", "Healthy", "ContainerCannotStart", "No");
  draft.become({});
  expect(object).toEqual(copy);
});
