import type { Visit } from "./visit.js";

/**
 * Adds the source of the visit to a link to another host of the site, once it is clicked or has the focus. That host has a
 * storage of its own, and its pages would only see that the visitor comes from the site.
 *
 * @param path the nodes that the event passes, the innermost one first.
 */
export function carryVisit(path: readonly EventTarget[], { origin, site }: Visit): void {
  // A visit that an earlier release of the script stored has no site.
  if (!origin || !site || origin.medium === "(none)") return;
  const link = (path as readonly HTMLAnchorElement[]).find(
    ({ hostname }) => hostname !== location.hostname && `.${hostname}`.endsWith(`.${site}`),
  );
  if (!link || link.search.includes("calltrack=")) return;
  link.search += `${link.search && "&"}calltrack=${encodeURIComponent(`${origin.source}~${origin.medium}`)}`;
}

/** Takes the source that a link from another host added out of the address of the page. */
export function hideCarried(): void {
  const address = location.href.replace(/[?&]calltrack=[^?&#~]*~[^?&#]*(#|$)/, "$1");
  if (address !== location.href) history.replaceState(history.state, "", address);
}
