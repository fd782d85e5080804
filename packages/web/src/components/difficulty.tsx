import { capitalised, difficulties, difficultyLevel } from "../logic/challenge-list.ts";

/** The difficulty as a word, with bars for those that are known. */
export function Difficulty({ difficulty }: { difficulty: string }) {
  if (difficulty === "") return null;
  const level = difficultyLevel(difficulty);
  return (
    <span className={`difficulty difficulty-${level}`}>
      {level > 0 && (
        <span className="difficulty-bars" aria-hidden="true">
          {difficulties.map((name, index) => (
            <span key={name} className={index < level ? "difficulty-bar is-filled" : "difficulty-bar"} />
          ))}
        </span>
      )}
      {capitalised(difficulty)}
    </span>
  );
}
