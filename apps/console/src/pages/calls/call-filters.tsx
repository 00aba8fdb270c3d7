import { setQuery } from "../../routing/route";
import { SelectField, TextField } from "../../ui/field";
import { type CallFilter, OUTCOMES } from "./call-filter";

interface CallFiltersProps {
  readonly filter: CallFilter;
  readonly violations: Readonly<Record<string, string>>;
}

/** The filters of calls. */
export function CallFilters({ filter, violations }: CallFiltersProps) {
  const set = (name: keyof CallFilter) => (value: string) => setQuery({ [name]: value });
  return (
    <search class="filters">
      <TextField label="Source" value={filter.source} onChange={set("source")} problem={violations.source} />
      <TextField label="Medium" value={filter.medium} onChange={set("medium")} problem={violations.medium} />
      <TextField
        label="Property"
        value={filter.property}
        onChange={set("property")}
        problem={violations.property_token}
      />
      <SelectField
        label="Outcome"
        value={filter.outcome}
        onChange={set("outcome")}
        options={[["", "any"], ...OUTCOMES.map(([name]) => [name, name.replaceAll("_", " ")] as const)]}
      />
      <TextField
        label="Caller"
        inputMode="tel"
        placeholder="+14155550100"
        value={filter.caller}
        onChange={set("caller")}
        problem={violations.caller_number}
      />
      <TextField
        label="From"
        type="datetime-local"
        value={filter.from}
        onChange={set("from")}
        problem={violations.from}
      />
      <TextField label="To" type="datetime-local" value={filter.to} onChange={set("to")} problem={violations.to} />
    </search>
  );
}
