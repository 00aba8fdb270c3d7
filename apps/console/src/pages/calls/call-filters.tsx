import { REJECT_REASONS } from "@calltrack/domain/call-rejection";
import { route, setQuery } from "../../routing/route";
import { Filters } from "../../ui/filters";
import { OUTCOMES } from "./call-filter";

const OUTCOME_OPTIONS = [["", "any"] as const, ...OUTCOMES.map(([name]) => [name, name.replaceAll("_", " ")] as const)];

const REJECTION_OPTIONS = [["", "any"] as const, ...REJECT_REASONS.map((name) => [name, name.toLowerCase()] as const)];

/** The filters for calls. They are kept in the URL. */
export function CallFilters({ violations }: { readonly violations: Readonly<Record<string, string>> | undefined }) {
  const stateOf = (parameter: string, name = parameter) => ({
    name,
    value: route.value.query.get(parameter) ?? "",
    onChange: (value: string) => setQuery({ [parameter]: value }),
  });
  return (
    <Filters
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
