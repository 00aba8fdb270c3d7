import type { Visit } from "./visit.js";

/**
 * Adds the source of the visit to the link that an event passes, if it leads to another host of the site. That host has separate storage,
 * and its pages would see only that the visitor comes from the site.
 *
 * @param path the composed path of the event.
 */
export function carryVisitSource(path: readonly EventTarget[], { origin, site }: Visit): void {
  // A visit stored by an earlier release of the script has no site.
  if (!origin || !site || origin.medium === "(none)") return;
  const link = (path as readonly HTMLAnchorElement[]).find(
    ({ hostname }) => hostname !== location.hostname && `.${hostname}`.endsWith(`.${site}`),
  );
  if (!link || link.search.includes("calltrack=")) return;
  link.search += `${link.search && "&"}calltrack=${encodeURIComponent(`${origin.source}~${origin.medium}`)}`;
}

/** Removes the parameter that a link from another host of the site added to the address of the page. */
export function removeCarriedSource(): void {
  const address = location.href.replace(/[?&]calltrack=[^?&#~]*~[^?&#]*(#|$)/, "$1");
  if (address !== location.href) history.replaceState(history.state, "", address);
}
