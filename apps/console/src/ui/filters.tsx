import { SelectField, type SelectFieldProps, TextField, type TextFieldProps } from "./field";

interface FiltersProps {
  /** A filter with options is a choice, any other a text. */
  readonly filters: readonly (SelectFieldProps | TextFieldProps)[];
}

/** The filters above a list or report. */
export function Filters({ filters }: FiltersProps) {
  return (
    <search class="filters">
      {filters.map((filter) =>
        "options" in filter ? (
          <SelectField key={filter.label} {...filter} />
        ) : (
          <TextField key={filter.label} {...filter} />
        ),
      )}
    </search>
  );
}
