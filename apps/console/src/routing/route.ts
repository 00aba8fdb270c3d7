import { signal } from "@preact/signals";

/** The place in the console that the address names, after `#`: a proxy or base path cannot change it. */
export interface Route {
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
}

/** The current place. */
export const route = signal(readRoute());

addEventListener("hashchange", () => {
  route.value = readRoute();
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

/** Returns the address of a place, for links. */
export function linkTo(...segments: readonly string[]): string {
  return `#/${segments.map(encodeURIComponent).join("/")}`;
}

/** Replaces the query of the current place, without a new entry in the browser's history. Empty values are left out. */
export function setQuery(values: Readonly<Record<string, string | undefined>>): void {
  const query = new URLSearchParams(route.peek().query);
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === "") query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  replaceAddress(linkTo(...route.peek().segments) + (text === "" ? "" : `?${text}`));
}

/** Replaces the address without a new entry in the browser's history, and shows its place. */
export function replaceAddress(address: string): void {
  history.replaceState(null, "", address);
  route.value = readRoute();
}
