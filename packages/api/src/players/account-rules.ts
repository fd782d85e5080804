/** The part of the rules of a competition that accounts follow. It has the shape of the spec of a Competition. */
export interface AccountRules {
  readonly title: string;
  readonly organiser: string;
  readonly logoUrl?: string;
  readonly registration: Registration;
  readonly visibility: { readonly challenges: "public" | "players" };
  readonly playerAttributes: readonly PlayerAttribute[];
}

export interface Registration {
  readonly mode: "open" | "code" | "closed";
  readonly codeSecretRef?: { readonly name: string; readonly key: string };
  /** RFC 3339. */
  readonly opensAt?: string;
  readonly closesAt?: string;
  readonly maxPlayers?: number;
}

export interface PlayerAttribute {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Whether everybody sees what a player has chosen. */
  readonly public: boolean;
  readonly required: boolean;
  readonly values: readonly { readonly value: string; readonly title: string; readonly description: string }[];
}
