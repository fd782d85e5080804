import type { Challenge } from "@berg/api/wire";
import { Link } from "wouter";
import { Difficulty } from "../../components/difficulty.tsx";
import { StateDot } from "../../components/state-dot.tsx";
import type { InstanceState } from "../../logic/instance-state.ts";
import { texts } from "../../texts.ts";

/** One challenge of the list. `state` is that of the player's instance of it. */
export function ChallengeCard({ challenge, state }: { challenge: Challenge; state: InstanceState }) {
  const { name, displayName, difficulty, tags, author } = challenge;
  return (
    <Link href={`/challenges/${encodeURIComponent(name)}`} className="challenge-card">
      <span className="challenge-card-top">
        <h3 className="challenge-card-title">{displayName}</h3>
        {state !== "none" && (
          <span className="badge">
            <StateDot state={state} />
            {texts.challenges.running[state]}
          </span>
        )}
      </span>
      <span className="challenge-card-author">{author !== "" && texts.challenge.by(author)}</span>
      <span className="challenge-card-bottom">
        <Difficulty difficulty={difficulty} />
        <span className="challenge-card-tags">
          {tags.map((tag) => (
            <span key={tag} className="tag">
              {tag}
            </span>
          ))}
        </span>
      </span>
    </Link>
  );
}
