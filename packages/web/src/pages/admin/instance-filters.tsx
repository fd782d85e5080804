import type { ReactNode } from "react";
import { useChallenges } from "../../api/queries.ts";
import { SearchIcon } from "../../components/icons.tsx";
import type { AdminQuery } from "../../logic/admin-query.ts";
import { adminTexts } from "../../texts-admin.ts";

interface InstanceFiltersProps {
  query: AdminQuery;
  onChange: (changes: Partial<AdminQuery>) => void;
  /** How many instances match. */
  children: ReactNode;
}

/** Those of a ChallengeInstance, and the one before it exists. */
const phases = ["Requested", "Pending", "Creating", "Starting", "Running", "Failed", "Terminating", "Terminated"];
const states = ["open", "ended", "all"] as const;

export function InstanceFilters({ query, onChange, children }: InstanceFiltersProps) {
  const { data: challenges = [] } = useChallenges();
  const names = challenges.map(({ name, displayName }) => ({ value: name, title: displayName }));
  return (
    <search className="filters admin-filters">
      <label className="search-field">
        <span className="visually-hidden">{adminTexts.search}</span>
        <SearchIcon />
        <input
          type="search"
          className="field"
          maxLength={128}
          placeholder={adminTexts.searchPlaceholder}
          value={query.search}
          onChange={({ target }) => onChange({ search: target.value })}
        />
      </label>
      <Choice
        label={adminTexts.challenge}
        all={adminTexts.allChallenges}
        choices={names}
        value={query.challenge}
        onChange={(challenge) => onChange({ challenge })}
      />
      <Choice
        label={adminTexts.phase}
        all={adminTexts.allPhases}
        choices={phases.map((phase) => ({ value: phase, title: phase }))}
        value={query.phase}
        onChange={(phase) => onChange({ phase })}
      />
      <label>
        <span className="visually-hidden">{adminTexts.state}</span>
        <select
          className="field"
          value={query.state}
          onChange={({ target }) => onChange({ state: target.value as AdminQuery["state"] })}
        >
          {states.map((state) => (
            <option key={state} value={state}>
              {adminTexts.states[state]}
            </option>
          ))}
        </select>
      </label>
      <output className="filters-count">{children}</output>
    </search>
  );
}

interface ChoiceProps {
  label: string;
  all: string;
  choices: { value: string; title: string }[];
  value: string;
  onChange: (value: string) => void;
}

function Choice({ label, all, choices, value, onChange }: ChoiceProps) {
  // A shared address may name a choice that there is no more: it must be visible why nothing matches.
  const isKnown = value === "" || choices.some((choice) => choice.value === value);
  const shown = isKnown ? choices : [{ value, title: value }, ...choices];
  return (
    <label>
      <span className="visually-hidden">{label}</span>
      <select className="field" value={value} onChange={({ target }) => onChange(target.value)}>
        <option value="">{all}</option>
        {shown.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.title}
          </option>
        ))}
      </select>
    </label>
  );
}
