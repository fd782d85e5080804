/** Questions about who somebody is. */
import { always, bool, int64, kept, list, mapOf, object, text, time } from "../shapes.ts";

const userInfo = object({ username: text(), uid: text(), groups: list(text()), extra: mapOf(list(text())) });

export const tokenReviewShape = object(
  {
    spec: always(object({ token: text(), audiences: list(text()) }, ["token"])),
    status: always(object({ authenticated: bool(), user: always(userInfo), audiences: list(text()), error: text() })),
  },
  ["spec"],
);

export const tokenRequestShape = object({
  spec: always(
    object({
      audiences: always(list(text())),
      expirationSeconds: kept(int64()),
      boundObjectRef: object({ kind: text(), apiVersion: text(), name: text(), uid: text() }),
    }),
  ),
  status: always(object({ token: always(text()), expirationTimestamp: always(time()) })),
});

export const selfSubjectReviewShape = object({ status: always(object({ userInfo: always(userInfo) })) });
