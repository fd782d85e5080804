/** Sign-in at a provider on PostgreSQL, where transactions run at the same time. */
import { missingPostgres, startPostgres, type TestPostgres } from "@berg/test";
import { IdentityProvider } from "@berg/test/openid";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { publicUrl, TestApi } from "../testing/test-api.ts";
import { readProviderSettings } from "./settings.ts";

describe.skipIf(missingPostgres())("PostgreSQL", () => {
  let postgres: TestPostgres;
  let school: IdentityProvider;
  beforeAll(async () => {
    postgres = await startPostgres();
    school = await IdentityProvider.start({ publicUrl, name: "school" });
  });
  afterAll(async () => {
    await school?.[Symbol.asyncDispose]();
    await postgres?.[Symbol.asyncDispose]();
  });

  test("two replicas: one begins and the other finishes, once; one identity makes one account", async () => {
    const database = await postgres.newDatabase();
    const providers = readProviderSettings({
      ...{ OIDC_PROVIDERS: "school", OIDC_SCHOOL_ROLE_CLAIM: "groups", OIDC_SCHOOL_ROLE_ADMIN: "staff" },
      ...school.environment({ SCOPES: "openid profile groups" }),
    });
    await using one = await TestApi.start({ database, providers });
    await using two = await TestApi.start({ database, providers });
    school.accounts.set("ada", { name: "Ada", groups: ["staff"] });
    const begin = async () => {
      const { headers } = await one.call("GET", "/api/sign-in/school");
      const cookie = String(headers["set-cookie"]).split(";")[0];
      return { cookie, path: (await school.signIn(String(headers.location), "ada")).replace(publicUrl, "") };
    };
    const begun = await Promise.all([begin(), begin()]);
    const finish = ({ path, cookie }: (typeof begun)[number], api: TestApi) =>
      api.call("GET", path, { headers: { cookie } }).then(({ headers }) => String(headers.location));
    const places = await Promise.all(begun.flatMap((sign) => [finish(sign, one), finish(sign, two)]));
    expect(places.sort()).toEqual([
      ...[`${publicUrl}/challenges`, `${publicUrl}/challenges`],
      ...[`${publicUrl}/sign-in?error=sign_in_expired`, `${publicUrl}/sign-in?error=sign_in_expired`],
    ]);
    const players = await one.db.selectFrom("player").selectAll().execute();
    expect(players).toMatchObject([{ name: "Ada", roles: "player", provider_roles: "admin" }]);
    expect(await one.db.selectFrom("session").select("provider").execute()).toEqual([
      { provider: "school" },
      { provider: "school" },
    ]);
  });
});
