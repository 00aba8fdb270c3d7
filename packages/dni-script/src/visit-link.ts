import type { Visit } from "./visit.js";

/**
 * Adds the source of the visit to the link on an event's path, if the link leads to another host of the site. That host has separate storage,
 * so its pages would otherwise know only that the visitor comes from this site.
 *
 * @param path the composed path of the event, from `Event.composedPath`.
 */
export function addSourceToLink(path: readonly EventTarget[], { origin, site }: Visit): void {
  // A visit that an earlier release of the script stored has no `site`.
  if (!origin || !site || origin.medium === "(none)") return;
  const link = (path as readonly HTMLAnchorElement[]).find(
    ({ hostname }) => hostname !== location.hostname && `.${hostname}`.endsWith(`.${site}`),
  );
  if (!link || link.search.includes("calltrack=")) return;
  link.search += `${link.search && "&"}calltrack=${encodeURIComponent(`${origin.source}~${origin.medium}`)}`;
}

/** Removes the parameter `calltrack` from the address of the page. A link from another host of the site added it. */
export function removeSourceFromAddress(): void {
  const address = location.href.replace(/[?&]calltrack=[^?&#~]*~[^?&#]*(#|$)/, "$1");
  if (address !== location.href) history.replaceState(history.state, "", address);
}
