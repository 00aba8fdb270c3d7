import { applyAndSaveTheme, readSavedTheme, type Theme } from "../ui/theme";

const NAMES: readonly (readonly [Theme, string])[] = [
  ["auto", "Theme: system"],
  ["light", "Theme: light"],
  ["dark", "Theme: dark"],
];

export function ThemeSwitch() {
  return (
    <select aria-label="Theme" onChange={(event) => applyAndSaveTheme(event.currentTarget.value as Theme)}>
      {NAMES.map(([value, name]) => (
        <option key={value} value={value} selected={value === readSavedTheme()}>
          {name}
        </option>
      ))}
    </select>
  );
}
