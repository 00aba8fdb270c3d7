interface CheckboxProps {
  readonly label: string;
  readonly name?: string;
  /** Whether the box is checked. If undefined, the browser keeps the state that the user chose. */
  readonly checked?: boolean;
  readonly defaultChecked?: boolean;
  readonly onChange?: (isChecked: boolean) => void;
}

export function Checkbox({ label, onChange, ...rest }: CheckboxProps) {
  return (
    <label class="check">
      <input type="checkbox" {...rest} onChange={(event) => onChange?.(event.currentTarget.checked)} />
      {label}
    </label>
  );
}
