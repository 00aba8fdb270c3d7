import { setQuery } from "../../routing/route";
import { Filters } from "../../ui/filters";
import { type CallFilter, OUTCOMES } from "./call-filter";

interface CallFiltersProps {
  readonly filter: CallFilter;
  readonly violations: Readonly<Record<string, string>>;
}

const OUTCOME_OPTIONS = [["", "any"] as const, ...OUTCOMES.map(([name]) => [name, name.replaceAll("_", " ")] as const)];

/** The filters of calls. */
export function CallFilters({ filter, violations }: CallFiltersProps) {
  const stateOf = (name: keyof CallFilter) => ({
    value: filter[name],
    onChange: (value: string) => setQuery({ [name]: value }),
  });
  return (
    <Filters
      filters={[
        { label: "Source", ...stateOf("source"), problem: violations.source },
        { label: "Medium", ...stateOf("medium"), problem: violations.medium },
        { label: "Property", ...stateOf("property"), problem: violations.property_token },
        { label: "Outcome", ...stateOf("outcome"), options: OUTCOME_OPTIONS },
        {
          ...{ label: "Caller", inputMode: "tel", placeholder: "+14155550100" },
          ...{ ...stateOf("caller"), problem: violations.caller_number },
        },
        { label: "From", type: "datetime-local", ...stateOf("from"), problem: violations.from },
        { label: "To", type: "datetime-local", ...stateOf("to"), problem: violations.to },
      ]}
    />
  );
}
