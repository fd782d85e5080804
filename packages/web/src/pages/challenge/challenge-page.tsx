import type { Challenge } from "@berg/api/wire";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "wouter";
import { ApiProblem } from "../../api/client.ts";
import { challengeQuery, keys } from "../../api/queries.ts";
import { BlankState } from "../../components/blank-state.tsx";
import { CopyField } from "../../components/copy-field.tsx";
import { Difficulty } from "../../components/difficulty.tsx";
import { BackIcon, DownloadIcon, ExternalIcon } from "../../components/icons.tsx";
import { problemOf, QueryProblem } from "../../components/query-problem.tsx";
import { ServerHtml } from "../../components/server-html.tsx";
import { useTitle } from "../../components/use-title.ts";
import { capitalised } from "../../logic/challenge-list.ts";
import { texts } from "../../texts.ts";
import { InstancePanel } from "./instance-panel.tsx";

export function ChallengePage({ name }: { name: string }) {
  const queries = useQueryClient();
  const query = useQuery({
    ...challengeQuery(name),
    // The list holds whole challenges: a player who comes from there does not wait.
    placeholderData: () =>
      queries.getQueryData<Challenge[]>(keys.challenges)?.find((challenge) => challenge.name === name),
  });
  const { data, error } = query;
  useTitle(data?.displayName ?? name);
  if (error instanceof ApiProblem && [400, 404].includes(error.status)) return <Missing />;
  if (data) return <Loaded challenge={data} />;
  return problemOf(query) ? <QueryProblem query={query} isPage /> : <Loading />;
}

function Loaded({ challenge }: { challenge: Challenge }) {
  const { displayName, author, difficulty, categories, tags, hasRemote } = challenge;
  return (
    <article className={hasRemote ? "challenge has-instance" : "challenge"}>
      <header className="challenge-header">
        <BackLink />
        <h1 className="page-title">{displayName}</h1>
        <div className="challenge-facts">
          {author !== "" && <span>{texts.challenge.by(author)}</span>}
          <Difficulty difficulty={difficulty} />
          {categories.map((category) => (
            <span key={category} className="tag tag-strong">
              {capitalised(category)}
            </span>
          ))}
          {tags.map((tag) => (
            <span key={tag} className="tag">
              {tag}
            </span>
          ))}
        </div>
      </header>
      <div className="challenge-body">
        {challenge.description === "" ? (
          <p className="muted">{texts.challenge.noDescription}</p>
        ) : (
          <ServerHtml html={challenge.description} />
        )}
        <SharedService connectionInfo={challenge.connectionInfo} />
        <Attachments attachments={challenge.attachments} />
        {challenge.flagFormat !== "" && (
          <p className="flag-format">
            {texts.challenge.flagFormat} <code>{challenge.flagFormat}</code>
          </p>
        )}
      </div>
      {hasRemote && <InstancePanel challenge={challenge} />}
    </article>
  );
}

/** A service that is not started by the player: one for all. */
function SharedService({ connectionInfo }: Pick<Challenge, "connectionInfo">) {
  if (connectionInfo === null || connectionInfo === "") return null;
  const isLink = /^https?:\/\/\S+$/.test(connectionInfo);
  return (
    <section className="shared-service">
      <h2 className="section-title">{texts.challenge.connection}</h2>
      <p className="muted">{texts.challenge.connectionDetail}</p>
      <CopyField text={connectionInfo}>
        {isLink && (
          <a className="address-text address-link" href={connectionInfo} target="_blank" rel="noreferrer">
            {connectionInfo}
            <ExternalIcon />
            <span className="visually-hidden">{texts.instance.open}</span>
          </a>
        )}
      </CopyField>
    </section>
  );
}

function Attachments({ attachments }: { attachments: Challenge["attachments"] }) {
  if (attachments.length === 0) return null;
  return (
    <section>
      <h2 className="section-title">{texts.challenge.attachments}</h2>
      <ul className="attachments">
        {attachments.map(({ fileName, downloadUrl }) => (
          <li key={fileName}>
            <a className="attachment" href={downloadUrl} download={fileName}>
              <DownloadIcon />
              {fileName}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Missing() {
  return (
    <BlankState title={texts.challenge.missingTitle} detail={texts.challenge.missingDetail} isPage>
      <Link href="/challenges" className="button button-primary">
        {texts.notFound.back}
      </Link>
    </BlankState>
  );
}

function Loading() {
  return (
    <div role="status" className="challenge has-instance">
      <h1 className="visually-hidden">{texts.challenge.loading}</h1>
      <div className="challenge-header">
        <BackLink />
        <div className="skeleton skeleton-title" />
        <div className="skeleton skeleton-line" />
      </div>
      <div className="challenge-body">
        <div className="skeleton skeleton-text" />
      </div>
      <div className="skeleton skeleton-panel" />
    </div>
  );
}

function BackLink() {
  return (
    <Link href="/challenges" className="back-link">
      <BackIcon />
      {texts.challenge.back}
    </Link>
  );
}
