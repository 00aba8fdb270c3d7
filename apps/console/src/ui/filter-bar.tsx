import {
  FieldViolationsContext,
  SelectField,
  type SelectFieldProps,
  TextField,
  type TextFieldProps,
} from "./form-field";

interface FiltersProps {
  /** A filter with options is a drop-down list; any other is a text input. */
  readonly filters: readonly (SelectFieldProps | TextFieldProps)[];
  /** The problem with each invalid filter, keyed by the filter's name. */
  readonly violations?: Readonly<Record<string, string>> | undefined;
}

export function FilterBar({ filters, violations = {} }: FiltersProps) {
  return (
    <search class="filters">
      <FieldViolationsContext.Provider value={violations}>
        {filters.map((filter) =>
          "options" in filter ? (
            <SelectField key={filter.label} {...filter} />
          ) : (
            <TextField key={filter.label} {...filter} />
          ),
        )}
      </FieldViolationsContext.Provider>
    </search>
  );
}
