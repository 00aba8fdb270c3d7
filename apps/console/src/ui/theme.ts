import { effect, signal } from "@preact/signals";
import { savedTheme, saveTheme } from "./saved-theme";

/** The color theme in use. */
export const theme = signal(savedTheme());

effect(() => {
  document.documentElement.dataset.theme = theme.value;
  saveTheme(theme.value);
});
