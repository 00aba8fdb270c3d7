import { REJECT_REASONS } from "@calltrack/domain/call-rejection";
import { currentRoute, setQueryParameters } from "../../routing/route";
import { FilterBar } from "../../ui/filter-bar";
import { CALL_OUTCOME_ENTRIES } from "./call-filter";

const OUTCOME_OPTIONS = [
  ["", "any"] as const,
  ...CALL_OUTCOME_ENTRIES.map(([name]) => [name, name.replaceAll("_", " ")] as const),
];

const REJECTION_OPTIONS = [["", "any"] as const, ...REJECT_REASONS.map((name) => [name, name.toLowerCase()] as const)];

/** The filters for the list of calls. Their values are kept in the page's URL. */
export function CallFilters({ violations }: { readonly violations: Readonly<Record<string, string>> | undefined }) {
  const stateOf = (parameter: string, name = parameter) => ({
    name,
    value: currentRoute.value.query.get(parameter) ?? "",
    onChange: (value: string) => setQueryParameters({ [parameter]: value }),
  });
  return (
    <FilterBar
      violations={violations}
      filters={[
        { label: "Source", ...stateOf("source") },
        { label: "Medium", ...stateOf("medium") },
        { label: "Property", ...stateOf("property", "property_token") },
        { label: "Outcome", ...stateOf("outcome"), options: OUTCOME_OPTIONS },
        { label: "Rejection reason", ...stateOf("rejected", "reject_reason"), options: REJECTION_OPTIONS },
        { label: "Caller", ...stateOf("caller", "caller_number"), inputMode: "tel", placeholder: "+14155550100" },
        { label: "From", ...stateOf("from"), type: "datetime-local" },
        { label: "To", ...stateOf("to"), type: "datetime-local" },
      ]}
    />
  );
}
