import type { Theme } from "../ui/saved-theme";
import { theme } from "../ui/theme";

const NAMES: readonly (readonly [Theme, string])[] = [
  ["auto", "Theme: system"],
  ["light", "Theme: light"],
  ["dark", "Theme: dark"],
];

/** Chooses the color theme. */
export function ThemeSwitch() {
  return (
    <select
      aria-label="Theme"
      value={theme.value}
      onChange={(event) => {
        theme.value = event.currentTarget.value as Theme;
      }}
    >
      {NAMES.map(([value, name]) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </select>
  );
}
