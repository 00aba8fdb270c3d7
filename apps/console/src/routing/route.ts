import { signal } from "@preact/signals";

/** The part of the URL after `#`, which names the page. Proxies and base paths change only the part before `#`. */
export interface Route {
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
}

export const currentRoute = signal(readRoute());

addEventListener("hashchange", () => {
  currentRoute.value = readRoute();
});

function readRoute(): Route {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?", 2);
  return { segments: path.split("/").filter(Boolean).map(decodeSegment), query: new URLSearchParams(query) };
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Returns a relative URL such as `#/accounts/acme`, for links. */
export function linkTo(...segments: readonly string[]): string {
  return `#/${segments.map(encodeURIComponent).join("/")}`;
}

/** Changes parameters of the current URL's query, without a new entry in the browser's history. An empty or undefined value removes its parameter. */
export function setQueryParameters(values: Readonly<Record<string, string | undefined>>): void {
  const query = new URLSearchParams(currentRoute.peek().query);
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === "") query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  replaceUrl(linkTo(...currentRoute.peek().segments) + (text === "" ? "" : `?${text}`));
}

/** Replaces the URL without a new entry in the browser's history, and shows the page that the new URL names. */
export function replaceUrl(address: string): void {
  history.replaceState(null, "", address);
  currentRoute.value = readRoute();
}
