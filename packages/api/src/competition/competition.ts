/** The rules of the competition that the API follows. */
export interface Competition {
  readonly eventName: string;
  readonly eventOrganiser: string;
  readonly eventLogoUrl: string;
  /** ms since 1970. */
  readonly start: number;
  /** Undefined: it does not end. */
  readonly end: number | undefined;
  readonly allowAnonymousAccess: boolean;
}

/** Of `berg up`: always open, and everybody may read. */
export const alwaysOpen: Competition = {
  eventName: "Berg",
  eventOrganiser: "",
  eventLogoUrl: "",
  start: 0,
  end: undefined,
  allowAnonymousAccess: true,
};
