/** What leader election tells its metrics. */
export interface ElectionMetrics {
  /** `leader_election_master_status` */
  leading(leads: boolean): void;
}

export const noElectionMetrics: ElectionMetrics = {
  leading() {},
};
