import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

/** The attributes that connect an input with its label and message. */
export interface FieldInput {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": boolean;
}

interface FieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  /** Why the value is invalid, in the API's words. */
  readonly problem?: string | undefined;
  readonly children: (input: FieldInput) => ComponentChildren;
}

/** A labelled input with its hint and the problem of its value. */
export function Field({ label, hint, problem, children }: FieldProps) {
  const id = useId();
  const note = problem ?? hint;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        "aria-describedby": note === undefined ? undefined : `${id}-note`,
        "aria-invalid": problem !== undefined,
      })}
      {note !== undefined && (
        <span id={`${id}-note`} class={problem === undefined ? "hint" : "problem"}>
          {note}
        </span>
      )}
    </div>
  );
}

/** A text input. */
export interface TextFieldProps extends Omit<FieldProps, "children"> {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder?: string;
  readonly type?: "text" | "search" | "number" | "date" | "datetime-local" | "password";
  readonly inputMode?: "numeric" | "decimal" | "tel" | "text";
  readonly min?: number;
  readonly max?: number;
  readonly step?: number | "any";
  readonly autoFocus?: boolean;
  readonly autoComplete?: string;
}

/** A labelled text input. */
export function TextField({ label, hint, problem, value, onChange, type = "text", ...rest }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(input) => (
        <input
          {...input}
          {...rest}
          // Preact ties the type of an input to the roles it may have, which a variable type cannot satisfy.
          type={type as "text"}
          value={value}
          autoComplete={rest.autoComplete ?? "off"}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** A choice. */
export interface SelectFieldProps extends Omit<FieldProps, "children"> {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly options: readonly (readonly [value: string, label: string])[];
}

/** A labelled choice. */
export function SelectField({ label, hint, problem, value, onChange, options }: SelectFieldProps) {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(input) => (
        <select {...input} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          {options.map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
