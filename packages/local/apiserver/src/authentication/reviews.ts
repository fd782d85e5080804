/** Questions about who somebody is: TokenReview and SelfSubjectReview. */
import { formatTime } from "@berg/apimachinery";
import type { Clock } from "@berg/kube";
import { required } from "../errors/field-error.ts";
import { invalid } from "../errors/refusals.ts";
import type { Endpoints } from "../http/endpoints.ts";
import type { AnyObject } from "../registry/resource.ts";
import type { Authenticator } from "./authenticate.ts";
import { issuer } from "./service-account-tokens.ts";
import type { User } from "./user.ts";

const group = "authentication.k8s.io";

export function authenticationReviews(authenticator: Authenticator, clock: Clock): Endpoints {
  return {
    [`tokenreviews.${group}`]: {
      async create(_, body) {
        const review = body.value as AnyObject & { spec?: { token?: string; audiences?: string[] } };
        const { token = "", audiences = [] } = review.spec ?? {};
        if (token === "") throw invalid({ group, kind: "TokenReview", name: "" }, [required("spec.token")]);
        const wanted = audiences.length === 0 ? [issuer] : audiences;
        const match = wanted.flatMap((audience) => {
          const user = authenticator.userOfToken(token, audience);
          return user ? [{ audience, user }] : [];
        });
        const [first] = match;
        const status = first
          ? { authenticated: true, user: shown(first.user), audiences: match.map(({ audience }) => audience) }
          : { user: {} };
        return { ...review, status };
      },
    },
    [`selfsubjectreviews.${group}`]: {
      async create(_, body, __, { user }) {
        const review = body.value as AnyObject;
        const metadata = { ...review.metadata, creationTimestamp: formatTime(clock.now()) };
        return { ...review, metadata, status: { userInfo: shown(user) } };
      },
    },
  };
}

function shown({ name, uid, groups, extra }: User): object {
  return { username: name, ...(uid && { uid }), groups, ...(extra && { extra }) };
}
