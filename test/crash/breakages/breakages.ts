/**
 * Mistakes that somebody could make in good faith, each against a rule that crashes and races make necessary, and the
 * test that catches it. `npm run test:breakages` makes them one by one in a copy of the tree.
 */
export interface Breakage {
  /** What somebody might do. */
  name: string;
  file: string;
  /** Stands there once. */
  search: string;
  replace: string;
  caughtBy: { file: string; test: string };
}

const instances = "packages/instances/src";
const kube = "packages/kube/src";
const healing = "packages/healing/src";

export const breakages: readonly Breakage[] = [
  {
    name: "the finalizer is put on after the children",
    file: `${instances}/phases/decide.ts`,
    search: "if (!isHeld(instance)) return {",
    replace: "if (!isHeld(instance) && isMade(seen)) return {",
    caughtBy: { file: `${instances}/reconcile.property.test.ts`, test: "every law holds at every moment" },
  },
  {
    name: "an instance is deleted though nothing holds it any more",
    file: `${instances}/phases/terminating.ts`,
    search: 'isHeld(instance) ? "deleteInstance" : "addFinalizer"',
    replace: '"deleteInstance"',
    caughtBy: {
      file: `${instances}/reconcile.ends.test.ts`,
      test: "is held first, so that nothing of it is left behind",
    },
  },
  {
    name: "an instance is deleted whatever others have changed",
    file: `${instances}/effects/perform.ts`,
    search: "const preconditions = { uid, resourceVersion };",
    replace: "const preconditions = { uid };",
    caughtBy: { file: `${instances}/reconcile.ends.test.ts`, test: "is not let go by a delete that has not seen that" },
  },
  {
    name: "children are made before the id is written down",
    file: `${instances}/phases/decide.ts`,
    search: "if (isNew || !isRecorded) return",
    replace: "if (isNew && !isRecorded && isMade(seen)) return",
    caughtBy: { file: `${instances}/reconcile.property.test.ts`, test: "every law holds at every moment" },
  },
  {
    name: "a start that is tried again has the workers of those who run",
    file: `${instances}/observe/watches.ts`,
    search: 'return phase === "Creating" ? startingPriority : 0;',
    replace: "return 0;",
    caughtBy: {
      file: `${instances}/controller.whole.test.ts`,
      test: "nor when they try again, what becomes of those that run is told all the same",
    },
  },
  {
    name: "the network policy is made with the Deployment",
    file: `${instances}/phases/creating.ts`,
    search:
      "    foundationOf(seen, blueprint),\n    [...workloads(blueprint, endpointEnv(blueprint)), ...addressesOf(seen, blueprint)],",
    replace:
      "    [...workloads(blueprint, endpointEnv(blueprint)), ...addressesOf(seen, blueprint)],\n    foundationOf(seen, blueprint),",
    caughtBy: {
      file: `${instances}/phases/creating.test.ts`,
      test: "as long as one of those is missing, no Deployment",
    },
  },
  {
    name: "the namespace is deleted before what runs in it",
    file: `${instances}/phases/take-down.ts`,
    search: "if (running.length > 0) {",
    replace: "if (running.length > 99) {",
    caughtBy: { file: `${instances}/phases/take-down.test.ts`, test: "and the namespace only when they are gone" },
  },
  {
    name: "the namespace is deleted without asking whose it is",
    file: `${instances}/effects/perform.ts`,
    search: "if (!(await isStillOurs(object, instance, around, signal))) return;",
    replace: "",
    caughtBy: {
      file: `${instances}/reconcile.capacity.test.ts`,
      test: "is not deleted, though the copy still says so",
    },
  },
  {
    name: "the namespace is deleted before pods that the cache does not show",
    file: `${instances}/effects/perform.ts`,
    search: "if (await hasUnseenPods(object, instance, around, signal)) return;",
    replace: "",
    caughtBy: {
      file: `${instances}/reconcile.test.ts`,
      test: "a namespace is not deleted before its pods",
    },
  },
  {
    name: "pods are deleted while something makes new ones",
    file: `${instances}/effects/perform.ts`,
    search: "if (after) await",
    replace: "if (after && force) await",
    caughtBy: { file: `${instances}/phases/take-down.test.ts`, test: "and the namespace only when they are gone" },
  },
  {
    name: "the reason of the end is not written first",
    file: `${instances}/phases/terminating.ts`,
    search: 'if (seen.instance.status?.phase !== "Terminating")',
    replace: "if (!seen.instance.status)",
    caughtBy: {
      file: `${instances}/phases/terminating.test.ts`,
      test: "the reason is written before anything is deleted",
    },
  },
  {
    name: "what cannot be written down is not ended",
    file: `${instances}/reconcile.ts`,
    search: "&& decision.regardless)",
    replace: "&& !decision.statusFirst && decision.regardless)",
    caughtBy: { file: `${instances}/reconcile.ends.test.ts`, test: "stops, and is told to have ended by" },
  },
  {
    name: "a renewal is overlooked where nothing can be written down",
    file: `${instances}/phases/terminating.ts`,
    search: "return first.length > 0 ? first : takeDown(seen, namespace, beganAt(seen)).effects;",
    replace: "return [...first, ...takeDown(seen, namespace, beganAt(seen)).effects];",
    caughtBy: { file: `${instances}/reconcile.ends.test.ts`, test: "as a copy that is behind does not show, runs on" },
  },
  {
    name: "the finalizer goes before the last word",
    file: `${instances}/phases/terminated.ts`,
    search: 'draft.status.phase !== "Terminated" ||',
    replace: "draft.status.phase === undefined &&",
    caughtBy: { file: `${instances}/reconcile.property.test.ts`, test: "every law holds at every moment" },
  },
  {
    name: "a Challenge is used as another CRD has stored it",
    file: `${instances}/observe/gather.ts`,
    search: "const read = readStoredChallenge(stored);",
    replace: "const read = { challenge: stored, errors: [] };",
    caughtBy: { file: `${instances}/reconcile.origins.test.ts`, test: "without any optional field" },
  },
  {
    name: "an instance that terminates stays healthy",
    file: `${instances}/phases/terminating.ts`,
    search: "setTerminatingConditions(draft);",
    replace: "",
    caughtBy: { file: `${instances}/phases/terminating.test.ts`, test: "nothing is ready, healthy or reachable" },
  },
  {
    name: "the end waits for a change instead of its time",
    file: `${instances}/reconcile.ts`,
    search: "if (dueAt === undefined) return undefined;",
    replace: "if (dueAt === undefined || now > 0) return undefined;",
    caughtBy: { file: `${instances}/reconcile.test.ts`, test: "its time is acted on to the second" },
  },
  {
    name: "the entropy of a flag's path is random",
    file: `${instances}/flags/flag-path.ts`,
    search: 'createHmac("sha256", flag)',
    replace: 'createHmac("sha256", crypto.randomUUID())',
    caughtBy: { file: `${instances}/flags/flag-path.test.ts`, test: "does not change over the life of an instance" },
  },
  {
    name: "the name of a route is random",
    file: `${instances}/builders/names.ts`,
    search: 'createHmac("sha256", uid)',
    replace: 'createHmac("sha256", crypto.randomUUID())',
    caughtBy: { file: `${instances}/builders/names.test.ts`, test: "is the same at every attempt" },
  },
  {
    name: "a condition is appended instead of replaced",
    file: `${kube}/conditions.ts`,
    search: "return rest.map((condition) => (condition === existing ? next : condition));",
    replace: "return [...conditions, next];",
    caughtBy: { file: `${kube}/conditions.test.ts`, test: "after any sequence there is one condition a type" },
  },
  {
    name: "a delete names no UID",
    file: `${kube}/children/delete-child.ts`,
    search: "{ ...options, preconditions: { uid } }",
    replace: "options",
    caughtBy: { file: `${kube}/children/delete-child.test.ts`, test: "one life is deleted, by its UID" },
  },
  {
    name: "an object that is there is taken over without our mark",
    file: `${kube}/children/ensure-child.ts`,
    search: "if (!isOurs(existing)) throw",
    replace: "if (found && !isOurs(existing)) throw",
    caughtBy: { file: `${kube}/children/ensure-child.test.ts`, test: "one of somebody else is not touched" },
  },
  {
    name: "an apply names no UID, and so makes what is gone",
    file: `${kube}/children/ensure-child.ts`,
    search: "{ ...manifest.metadata, uid: existing.metadata.uid }",
    replace: "{ ...manifest.metadata }",
    caughtBy: { file: `${kube}/children/ensure-child.test.ts`, test: "one that was seen is applied with its UID" },
  },
  {
    name: "a finalizer is set whatever others have changed",
    file: `${kube}/children/finalizers.ts`,
    search: '{ op: "replace", path: "/metadata/resourceVersion", value: resourceVersion },',
    replace: "",
    caughtBy: {
      file: `${kube}/children/finalizers.test.ts`,
      test: "only ours is removed, for the version that was seen",
    },
  },
  {
    name: "a ghost is swept without asking the server for its ChallengeInstance",
    file: `${healing}/ghosts/sweep.ts`,
    search: "mayAct ? await livingUids(client, signal) : undefined",
    replace: "mayAct ? new Set<string>() : undefined",
    caughtBy: { file: `${healing}/ghosts/sweep.test.ts`, test: "is left alone where the server has its instance" },
  },
  {
    name: "a namespace is swept whosever it is by now",
    file: `${healing}/removing/remove.ts`,
    search: "return isSame && instanceUidOfNamespace(found) === instanceUid ? found : undefined;",
    replace: "return isSame || instanceUid ? found : undefined;",
    caughtBy: {
      file: `${healing}/removing/remove.test.ts`,
      test: "when it was asked for and when it comes in between",
    },
  },
  {
    name: "an expired instance is deleted though it was renewed in that moment",
    file: `${healing}/expired/end.ts`,
    search: "due.why, { unchanged: true })",
    replace: "due.why)",
    caughtBy: { file: `${healing}/expired/end.test.ts`, test: "one that was renewed since it was seen goes on" },
  },
  {
    name: "the janitor deletes by name",
    file: `${healing}/removing/remove.ts`,
    search: "unchanged ? { uid, resourceVersion } : { uid }",
    replace: "unchanged ? { resourceVersion } : {}",
    caughtBy: {
      file: `${healing}/removing/remove.test.ts`,
      test: "one that was made anew under the same name is another",
    },
  },
  {
    name: "a namespace is deleted though somebody has claimed it in that moment",
    file: `${healing}/removing/remove.ts`,
    search: "remove(removing, Namespaces, found, why, { unchanged: true })",
    replace: "remove(removing, Namespaces, found, why)",
    caughtBy: {
      file: `${healing}/removing/remove.test.ts`,
      test: "when it was asked for and when it comes in between",
    },
  },
  {
    name: "the janitor removes a namespace before what runs in it",
    file: `${healing}/removing/take-down.ts`,
    search: "if (deployments.length > 0) return",
    replace: "if (deployments.length > 99) return",
    caughtBy: { file: `${healing}/removing/take-down.test.ts`, test: "Deployments go first, all at once" },
  },
];

/** The text with the mistake in it. Throws where the code has changed, and the mistake must be made in another way. */
export function broken(text: string, { name, file, search, replace }: Breakage): string {
  const parts = text.split(search);
  if (parts.length !== 2) {
    throw new Error(`"${name}": ${file} has ${parts.length - 1} times what is to be replaced; write the breakage anew`);
  }
  return parts.join(replace);
}
