import { type ComponentChildren, createContext } from "preact";
import { useContext, useId } from "preact/hooks";

/** The problems of the fields of a form, by name. */
export const Violations = createContext<Readonly<Record<string, string>>>({});

/** The attributes that connect an input with its label and message. */
interface FieldInput {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": boolean;
  readonly name: string | undefined;
}

interface FieldProps {
  readonly label: string;
  /** Name of the field in the API, and in its form. */
  readonly name?: string | undefined;
  readonly hint?: string | undefined;
  readonly children: (input: FieldInput) => ComponentChildren;
}

/** A labelled input with its hint, or the problem of its value in the API's words. */
export function Field({ label, name, hint, children }: FieldProps) {
  const id = useId();
  const problem = useContext(Violations)[name ?? ""];
  const note = problem ?? hint;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        name,
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

/** An input. The browser keeps the value if no `value` is given. */
interface InputProps extends Omit<FieldProps, "children"> {
  readonly value?: string;
  readonly onChange?: (value: string) => void;
  readonly defaultValue?: string;
}

/** A text input. */
export interface TextFieldProps extends InputProps {
  readonly placeholder?: string;
  readonly type?: "text" | "search" | "number" | "date" | "datetime-local" | "password";
  readonly inputMode?: "numeric" | "tel";
  readonly step?: "any";
  readonly autoFocus?: boolean;
}

/** A labelled text input. */
export function TextField({ label, name, hint, onChange, type = "text", ...rest }: TextFieldProps) {
  return (
    <Field {...{ label, name, hint }}>
      {(input) => (
        <input
          {...input}
          {...rest}
          // Preact ties the type of an input to the roles it may have, which a variable type cannot satisfy.
          type={type as "text"}
          autoComplete="off"
          onInput={(event) => onChange?.(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** A choice. */
export interface SelectFieldProps extends InputProps {
  readonly options: readonly (readonly [value: string, label: string])[];
}

/** A labelled choice. */
export function SelectField({ label, name, hint, value, onChange, defaultValue, options }: SelectFieldProps) {
  return (
    <Field {...{ label, name, hint }}>
      {(input) => (
        <select {...input} value={value} onChange={(event) => onChange?.(event.currentTarget.value)}>
          {options.map(([option, text]) => (
            <option key={option} value={option} selected={option === defaultValue}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
