import { SelectField, type SelectFieldProps, TextField, type TextFieldProps, Violations } from "./field";

interface FiltersProps {
  /** A filter with options is a drop-down list; any other is a text input. */
  readonly filters: readonly (SelectFieldProps | TextFieldProps)[];
  /** The problem with each invalid filter, by the filter's name. */
  readonly violations?: Readonly<Record<string, string>> | undefined;
}

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
