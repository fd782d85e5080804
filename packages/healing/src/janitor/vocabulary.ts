/** The names that the janitor is known by in dashboards and logs: a change here is a change of contract. */
export const metricNames = {
  deleted: { name: "berg_janitor_deleted_total", help: "Objects that the janitor has deleted, by kind" },
  failed: { name: "berg_janitor_failures_total", help: "Deletions that the server refused the janitor, by kind" },
  overdue: {
    name: "berg_janitor_overdue_instances",
    help: "Instances that are past their time and the grace of the controller, and have a namespace still",
  },
  ghosts: { name: "berg_janitor_ghosts", help: "Namespaces of ours without a ChallengeInstance" },
  braked: { name: "berg_janitor_braked", help: "1 while there are too many ghosts to be true, and none is swept" },
  clockOffset: {
    name: "berg_janitor_clock_offset_seconds",
    help: "How far the clock of the janitor is ahead of the API server's, give or take a second; the server's counts",
  },
} as const;

/** Of the controllers, in logs and in the metrics of the runtime. */
export const controllerNames = { expired: "janitor-expired", ghosts: "janitor-ghosts" } as const;
