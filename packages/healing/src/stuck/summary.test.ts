import { describe, expect, test } from "vitest";
import type { Finding } from "./findings.ts";
import type { Verdict } from "./judge.ts";
import { summaryOf } from "./summary.ts";

const well: Verdict = { is: "well" };
const waiting: Verdict = { is: "waiting" };
const stuck: Verdict = { is: "stuck", kind: "crashing", reason: "ContainerCrashes", message: "it ends by itself" };

function finding(container: string, podUid: string, verdict: Verdict, more: Partial<Finding> = {}): Finding {
  return { podUid, namespace: "challenge-1", container, verdict, isFailed: false, isGoing: false, ...more };
}

describe("an instance is", () => {
  test.each<{ what: string; findings: Finding[]; want: object }>([
    { what: "undecided without a pod", findings: [], want: { is: "undecided" } },
    {
      what: "well when each container has a pod that is",
      findings: [finding("web", "1", well), finding("db", "2", waiting), finding("db", "3", well)],
      want: { is: "well" },
    },
    {
      what: "undecided while one container waits",
      findings: [finding("web", "1", well), finding("db", "2", waiting)],
      want: { is: "undecided" },
    },
    {
      what: "stuck when one container is, and named after the first",
      findings: [
        finding("web", "2", stuck),
        finding("db", "3", stuck),
        finding("db", "1", stuck),
        finding("a", "9", well),
      ],
      want: {
        is: "stuck",
        reason: "ContainerCrashes",
        message: "Container db: it ends by itself",
        pods: ["1", "3", "2"],
      },
    },
    {
      what: "well where an evicted pod has a successor that is",
      findings: [finding("web", "1", stuck, { isFailed: true }), finding("web", "2", well)],
      want: { is: "well" },
    },
    {
      what: "undecided where the successor of an evicted pod is on its way",
      findings: [finding("web", "1", stuck, { isFailed: true }), finding("web", "2", waiting)],
      want: { is: "undecided" },
    },
    {
      what: "stuck where the successor of an evicted pod is going itself",
      findings: [finding("web", "1", stuck, { isFailed: true }), finding("web", "2", waiting, { isGoing: true })],
      want: { is: "stuck", pods: ["1"] },
    },
    {
      what: "stuck where the successor belongs to another container",
      findings: [finding("web", "1", stuck, { isFailed: true }), finding("db", "2", well)],
      want: { is: "stuck", pods: ["1"] },
    },
  ])("$what", ({ findings, want }) => {
    expect(summaryOf(findings)).toMatchObject(want);
    expect(summaryOf(findings.toReversed())).toEqual(summaryOf(findings));
  });
});
