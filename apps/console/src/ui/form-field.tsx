import { type ComponentChildren, createContext } from "preact";
import { useContext, useId, useState } from "preact/hooks";

/** Maps the API name of each invalid field in a form to the problem with its value. */
export const FieldViolationsContext = createContext<Readonly<Record<string, string>>>({});

/** The attributes that connect an input to its label and message. */
interface FieldInput {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": boolean;
  readonly name: string | undefined;
}

interface FieldProps {
  readonly label: string;
  /** The field's name in the API, which is also its name in the form. */
  readonly name?: string | undefined;
  readonly hint?: string | undefined;
  readonly children: (input: FieldInput) => ComponentChildren;
}

/** A labeled input with its hint or, if its value is not valid, the API's message about the problem. */
export function FormField({ label, name, hint, children }: FieldProps) {
  const id = useId();
  const problem = useContext(FieldViolationsContext)[name ?? ""];
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

/** The properties of an input. If `value` is undefined, the browser keeps the text that the user typed. */
interface InputProps extends Omit<FieldProps, "children"> {
  readonly value?: string;
  readonly onChange?: (value: string) => void;
  readonly defaultValue?: string;
}

export interface TextFieldProps extends InputProps {
  readonly placeholder?: string;
  readonly type?: "text" | "search" | "number" | "date" | "datetime-local" | "password";
  readonly inputMode?: "numeric" | "tel";
  readonly step?: "any";
  readonly autoFocus?: boolean;
}

/** The last day and time that the API accepts. Without a maximum, browsers let users type years of six digits. */
const MAX_VALUES: Readonly<Record<string, string>> = { date: "9999-12-31", "datetime-local": "9999-12-31T23:59" };

export function TextField({ label, name, hint, value, onChange, type = "text", ...rest }: TextFieldProps) {
  const [isIncomplete, setIncomplete] = useState(false);
  return (
    <FormField {...{ label, name, hint }}>
      {(input) => (
        <input
          {...input}
          {...rest}
          // In Preact's typings, the input's type determines its allowed roles, so a variable type does not compile.
          type={type as "text"}
          max={MAX_VALUES[type]}
          autoComplete="off"
          // A date that the user has typed in part has no value yet. Rendering `value` would remove what the user has typed.
          value={isIncomplete ? undefined : value}
          onInput={({ currentTarget: input }) => {
            setIncomplete(input.validity.badInput);
            onChange?.(input.value);
          }}
          onBlur={() => setIncomplete(false)}
        />
      )}
    </FormField>
  );
}

export interface SelectFieldProps extends InputProps {
  readonly options: readonly (readonly [value: string, label: string])[];
}

export function SelectField({ label, name, hint, value, onChange, defaultValue, options }: SelectFieldProps) {
  return (
    <FormField {...{ label, name, hint }}>
      {(input) => (
        <select {...input} value={value} onChange={(event) => onChange?.(event.currentTarget.value)}>
          {options.map(([option, text]) => (
            <option key={option} value={option} selected={option === defaultValue}>
              {text}
            </option>
          ))}
        </select>
      )}
    </FormField>
  );
}
