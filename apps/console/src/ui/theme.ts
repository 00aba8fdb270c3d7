/** The color theme: that of the system, or the reader's choice. */
export type Theme = "auto" | "light" | "dark";

const STORAGE_KEY = "calltrack-theme";

/** Returns the theme that the reader chose in this browser. */
export function savedTheme(): Theme {
  const saved = localStorage.getItem(STORAGE_KEY);
  return saved === "light" || saved === "dark" ? saved : "auto";
}

/** Shows the reader's choice, and keeps it. */
export function chooseTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
  if (theme === "auto") localStorage.removeItem(STORAGE_KEY);
  else localStorage.setItem(STORAGE_KEY, theme);
}
