import { effect, signal } from "@preact/signals";

/** The color theme: that of the system, or the reader's choice. */
export type Theme = "auto" | "light" | "dark";

const STORAGE_KEY = "calltrack-theme";

const saved = localStorage.getItem(STORAGE_KEY);

export const theme = signal<Theme>(saved === "light" || saved === "dark" ? saved : "auto");

effect(() => {
  document.documentElement.dataset.theme = theme.value;
  if (theme.value === "auto") localStorage.removeItem(STORAGE_KEY);
  else localStorage.setItem(STORAGE_KEY, theme.value);
});
