import { element, folded } from "./element.js";

/** More text would make the page slow. */
const MAX_SHOWN_CHARACTERS = 50_000;

/**
 * Renders a response: status, duration, headers, and the beginning of its body.
 *
 * @param {Response} response
 * @param {string} text
 * @param {number} durationMs
 */
export function renderResponse(response, text, durationMs) {
  const status = `${response.status} ${response.statusText}`.trim();
  const headers = Array.from(response.headers, ([name, value]) => `${name}: ${value}`).join("\n");
  return element(
    "div",
    { class: response.ok ? "response ok" : "response failed" },
    element("p", {}, element("strong", { class: "status" }, status), ` in ${Math.round(durationMs)} ms`),
    folded("response headers", element("pre", {}, headers)),
    ...renderBody(formatBody(text)),
  );
}

function renderBody(text) {
  if (text === "") return [];
  if (text.length <= MAX_SHOWN_CHARACTERS) return [element("pre", {}, text)];
  const shown = MAX_SHOWN_CHARACTERS.toLocaleString("en");
  const note = `The first ${shown} of ${text.length.toLocaleString("en")} characters. Set page_size to get less, or use a code sample.`;
  return [element("p", { class: "note" }, note), element("pre", {}, text.slice(0, MAX_SHOWN_CHARACTERS))];
}

/** Adds line breaks to JSON; other text stays as it is. */
function formatBody(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
