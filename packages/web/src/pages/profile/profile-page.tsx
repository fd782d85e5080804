import type { CurrentPlayer } from "@berg/api/wire";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId } from "react";
import { Link } from "wouter";
import { signInOptionsQuery, useMetadata, usePlayer } from "../../api/queries.ts";
import { BlankState } from "../../components/blank-state.tsx";
import { problemOf, QueryProblem } from "../../components/query-problem.tsx";
import { useTitle } from "../../components/use-title.ts";
import { texts } from "../../texts.ts";
import { accountTexts } from "../../texts-account.ts";
import { DeleteAccount } from "./delete-account.tsx";
import { EmailAddress } from "./email-address.tsx";
import { PlayerDetails } from "./player-details.tsx";
import { ApiKey, SignInLink } from "./secrets.tsx";
import { Sessions } from "./sessions.tsx";
import "../../styles/account.css";

export function ProfilePage() {
  useTitle(accountTexts.profile.title);
  const player = usePlayer();
  const metadata = useMetadata();
  if (player.data && metadata.data) return <Loaded player={player.data} />;
  if (player.data === null) {
    return (
      <BlankState title={accountTexts.profile.signedOutTitle} detail={accountTexts.profile.signedOutDetail} isPage>
        <Link href="/sign-in" className="button button-primary">
          {texts.header.signIn}
        </Link>
      </BlankState>
    );
  }
  if (problemOf(player)) return <QueryProblem query={player} isPage />;
  if (problemOf(metadata)) return <QueryProblem query={metadata} isPage />;
  return (
    <div role="status" className="profile">
      <h1 className="page-title">{accountTexts.profile.title}</h1>
      <span className="visually-hidden">{accountTexts.profile.loading}</span>
      <div className="skeleton skeleton-panel" />
      <div className="skeleton skeleton-panel" />
    </div>
  );
}

function Loaded({ player }: { player: CurrentPlayer }) {
  const { data: metadata } = useMetadata();
  const { data: options } = useQuery(signInOptionsQuery);
  const isLocal = player.federatedId.startsWith("local:");
  return (
    <div className="profile">
      <h1 className="page-title">{accountTexts.profile.title}</h1>
      <Section title={accountTexts.profile.details}>
        <PlayerDetails key={player.id} player={player} asked={metadata?.playerAttributes ?? []} />
      </Section>
      {((options?.canMailLinks && isLocal) || player.email !== null) && (
        <Section title={accountTexts.email.title}>
          <EmailAddress key={player.id} player={player} />
        </Section>
      )}
      <Section title={accountTexts.profile.link} detail={accountTexts.profile.linkDetail}>
        <SignInLink />
      </Section>
      <Section title={accountTexts.profile.apiKey} detail={accountTexts.profile.apiKeyDetail}>
        <ApiKey placeholder={player.apiKeyPlaceholder} />
      </Section>
      <Section title={accountTexts.profile.sessions}>
        <Sessions />
      </Section>
      <Section title={accountTexts.profile.delete} detail={accountTexts.profile.deleteDetail}>
        <DeleteAccount name={player.name} />
      </Section>
    </div>
  );
}

function Section({ title, detail, children }: { title: string; detail?: string; children: ReactNode }) {
  const id = useId();
  return (
    <section className="panel profile-section" aria-labelledby={id}>
      <div>
        <h2 id={id} className="section-title">
          {title}
        </h2>
        {detail !== undefined && <p className="muted">{detail}</p>}
      </div>
      {children}
    </section>
  );
}
