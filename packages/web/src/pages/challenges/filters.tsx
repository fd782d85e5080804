import type { ReactNode } from "react";
import { SearchIcon } from "../../components/icons.tsx";
import { type ChallengeFilter, capitalised, type filterChoices } from "../../logic/challenge-list.ts";
import { texts } from "../../texts.ts";

interface FiltersProps {
  filter: ChallengeFilter;
  choices: ReturnType<typeof filterChoices>;
  onChange: (field: keyof ChallengeFilter, value: string) => void;
  /** How many challenges are left. */
  children: ReactNode;
}

export function Filters({ filter, choices, onChange, children }: FiltersProps) {
  return (
    <search className="filters">
      <label className="search-field">
        <span className="visually-hidden">{texts.challenges.search}</span>
        <SearchIcon />
        <input
          type="search"
          className="field"
          placeholder={texts.challenges.searchPlaceholder}
          value={filter.search}
          onChange={(event) => onChange("search", event.target.value)}
        />
      </label>
      <Choice
        label={texts.challenges.category}
        all={texts.challenges.allCategories}
        value={filter.category}
        choices={choices.categories}
        onChange={(value) => onChange("category", value)}
      />
      <Choice
        label={texts.challenges.difficulty}
        all={texts.challenges.allDifficulties}
        value={filter.difficulty}
        choices={choices.difficulties}
        onChange={(value) => onChange("difficulty", value)}
      />
      <output className="filters-count">{children}</output>
    </search>
  );
}

interface ChoiceProps {
  label: string;
  all: string;
  value: string;
  choices: string[];
  onChange: (value: string) => void;
}

function Choice({ label, all, value, choices, onChange }: ChoiceProps) {
  // A shared address may name a choice that no challenge has: it must be visible, to explain why nothing matches.
  const shown = value === "" || choices.includes(value) ? choices : [value, ...choices];
  return (
    <label>
      <span className="visually-hidden">{label}</span>
      <select className="field" value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">{all}</option>
        {shown.map((choice) => (
          <option key={choice} value={choice}>
            {capitalised(choice)}
          </option>
        ))}
      </select>
    </label>
  );
}
