/** Objects as the API sends them, for tests. */
import type { Challenge, CurrentPlayer, Instance } from "@berg/api/wire";

export const playerId = "11111111-1111-4111-8111-111111111111";

export function makeInstance(changes: Partial<Instance> = {}): Instance {
  return {
    id: "22222222-2222-4222-8222-222222222222",
    playerId,
    name: "jail",
    status: 2,
    services: [],
    timeout: null,
    startedAt: null,
    terminatedAt: null,
    ownerId: playerId,
    startedBy: playerId,
    phase: "Running",
    reason: null,
    message: null,
    readyAt: null,
    renewalsLeft: 0,
    stages: [],
    ...changes,
  };
}

export function makeChallenge(name: string, changes: Partial<Challenge> = {}): Challenge {
  return {
    name,
    displayName: name,
    author: "",
    description: "",
    hideUntil: null,
    categories: [],
    tags: [],
    event: "",
    difficulty: "",
    flagFormat: "",
    attachments: [],
    hasRemote: true,
    connectionInfo: null,
    closesAt: null,
    prerequisites: [],
    hints: [],
    ...changes,
  };
}

export function makePlayer(): CurrentPlayer {
  return {
    id: playerId,
    name: "gwen",
    roles: [],
    federatedId: "",
    apiKeyPlaceholder: null,
    attributes: {},
    email: null,
  };
}
