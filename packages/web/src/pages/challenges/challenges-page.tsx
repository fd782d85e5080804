import type { Challenge } from "@berg/api/wire";
import { Link } from "wouter";
import { ApiProblem } from "../../api/client.ts";
import { useChallenges, useInstance, useMetadata } from "../../api/queries.ts";
import { BlankState } from "../../components/blank-state.tsx";
import { Button } from "../../components/button.tsx";
import { describeProblem } from "../../components/problem-notice.tsx";
import { useTitle } from "../../components/use-title.ts";
import { capitalised, filterChoices, groupChallenges } from "../../logic/challenge-list.ts";
import { stateOf } from "../../logic/instance-state.ts";
import { texts } from "../../texts.ts";
import { ChallengeCard } from "./challenge-card.tsx";
import { CompetitionNotice, useCompetitionPeriod } from "./competition-notice.tsx";
import { Filters } from "./filters.tsx";
import { useChallengeFilter } from "./use-challenge-filter.ts";

export function ChallengesPage() {
  useTitle(texts.challenges.title);
  const { isPending: isListPending } = useChallenges();
  const { isPending: isMetadataPending } = useMetadata();
  return (
    <>
      <h1 className="page-title">{texts.challenges.title}</h1>
      {/* The notice and the list appear together, so that neither pushes the other down. */}
      {isListPending || isMetadataPending ? (
        <LoadingList />
      ) : (
        <>
          <CompetitionNotice />
          <Content />
        </>
      )}
    </>
  );
}

function Content() {
  const { data, error, refetch } = useChallenges();
  const period = useCompetitionPeriod();
  if (data && data.length > 0) return <ChallengeList challenges={data} />;
  // The countdown above says all there is to say.
  if (data && period === "before") return null;
  if (data) return <BlankState title={texts.challenges.emptyTitle} detail={texts.challenges.emptyDetail} />;
  if (error instanceof ApiProblem && error.status === 401) {
    return (
      <BlankState title={texts.challenges.signInTitle} detail={texts.challenges.signInDetail}>
        <Link href="/sign-in" className="button button-primary">
          {texts.header.signIn}
        </Link>
      </BlankState>
    );
  }
  return (
    <BlankState {...(error ? describeProblem(error) : texts.problems.restarting)}>
      <Button look="primary" onClick={() => void refetch()}>
        {texts.problems.tryAgain}
      </Button>
    </BlankState>
  );
}

function ChallengeList({ challenges }: { challenges: Challenge[] }) {
  const { filter, change, clear } = useChallengeFilter();
  const { data: instance } = useInstance();
  const groups = groupChallenges(challenges, filter);
  const shown = groups.reduce((sum, group) => sum + group.challenges.length, 0);
  return (
    <>
      <Filters filter={filter} choices={filterChoices(challenges)} onChange={change}>
        {texts.challenges.count(shown, challenges.length)}
      </Filters>
      {groups.length === 0 && (
        <BlankState title={texts.challenges.noMatchTitle} detail={texts.challenges.noMatchDetail}>
          <Button onClick={clear}>{texts.challenges.clear}</Button>
        </BlankState>
      )}
      {groups.map((group) => (
        <section key={group.category} className="challenge-group">
          <h2 className="challenge-group-title">
            {capitalised(group.category)} <span className="challenge-group-count">{group.challenges.length}</span>
          </h2>
          <ul className="challenge-grid">
            {group.challenges.map((challenge) => (
              <li key={challenge.name}>
                <ChallengeCard
                  challenge={challenge}
                  state={instance?.name === challenge.name ? stateOf(instance) : "none"}
                />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

/** As large as what replaces it, so that nothing jumps. */
function LoadingList() {
  return (
    <div role="status" className="loading-list">
      <span className="visually-hidden">{texts.challenges.loading}</span>
      <div className="filters" aria-hidden="true">
        <div className="skeleton skeleton-filters" />
      </div>
      <div className="skeleton skeleton-group-title" />
      <div className="challenge-grid">
        {["first", "second", "third", "fourth", "fifth", "sixth"].map((key) => (
          <div key={key} className="skeleton skeleton-card" />
        ))}
      </div>
    </div>
  );
}
