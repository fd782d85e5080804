import type { Challenge } from "@berg/api/wire";
import { useChallenges, useInstance, useMetadata } from "../../api/queries.ts";
import { BlankState } from "../../components/blank-state.tsx";
import { Button } from "../../components/button.tsx";
import { problemOf, QueryProblem } from "../../components/query-problem.tsx";
import { useCompetitionPeriod } from "../../components/use-competition-period.ts";
import { useTitle } from "../../components/use-title.ts";
import { capitalised, filterChoices, groupChallenges } from "../../logic/challenge-list.ts";
import { stateOf } from "../../logic/instance-state.ts";
import { texts } from "../../texts.ts";
import { ChallengeCard } from "./challenge-card.tsx";
import { CompetitionNotice } from "./competition-notice.tsx";
import { Filters } from "./filters.tsx";
import { useChallengeFilter } from "./use-challenge-filter.ts";

export function ChallengesPage() {
  useTitle(texts.challenges.title);
  const challenges = useChallenges();
  const metadata = useMetadata();
  const failed = [challenges, metadata].find((query) => problemOf(query));
  return (
    <>
      <h1 className="page-title">{texts.challenges.title}</h1>
      {/* The notice and the list appear together, so that neither pushes the other down. */}
      {failed && <QueryProblem query={failed} />}
      {!failed && !(challenges.data && metadata.data) && <LoadingList />}
      {challenges.data && metadata.data && (
        <>
          <CompetitionNotice />
          <Content challenges={challenges.data} />
        </>
      )}
    </>
  );
}

function Content({ challenges }: { challenges: Challenge[] }) {
  const period = useCompetitionPeriod();
  if (challenges.length > 0) return <ChallengeList challenges={challenges} />;
  // The countdown above says all there is to say.
  if (period === "before") return null;
  return <BlankState title={texts.challenges.emptyTitle} detail={texts.challenges.emptyDetail} />;
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
        <div className="skeleton skeleton-field search-field" />
        <div className="skeleton skeleton-field" />
        <div className="skeleton skeleton-field" />
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
