/** The color theme. `auto` follows the system. */
export type Theme = "auto" | "light" | "dark";

const STORAGE_KEY = "calltrack-theme";

/** Returns the theme that was chosen in this browser; `auto` by default, or if the browser denies access to its storage. */
export function readSavedTheme(): Theme {
  const saved = readStorage();
  return saved === "light" || saved === "dark" ? saved : "auto";
}

/** Applies a theme, and saves it in this browser. */
export function applyAndSaveTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
  if (theme === "auto") localStorage.removeItem(STORAGE_KEY);
  else localStorage.setItem(STORAGE_KEY, theme);
}

function readStorage(): string | null {
  try {
    return localStorage.getItem(STORAGE_KEY);
  } catch {
    return null;
  }
}
