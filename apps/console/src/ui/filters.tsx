import { SelectField, type SelectFieldProps, TextField, type TextFieldProps, Violations } from "./field";

interface FiltersProps {
  /** A filter with options is a choice, any other a text. */
  readonly filters: readonly (SelectFieldProps | TextFieldProps)[];
  /** The problems of the filters by name. */
  readonly violations?: Readonly<Record<string, string>> | undefined;
}

/** The filters above a list or report. */
export function Filters({ filters, violations = {} }: FiltersProps) {
  return (
    <search class="filters">
      <Violations.Provider value={violations}>
        {filters.map((filter) =>
          "options" in filter ? (
            <SelectField key={filter.label} {...filter} />
          ) : (
            <TextField key={filter.label} {...filter} />
          ),
        )}
      </Violations.Provider>
    </search>
  );
}
