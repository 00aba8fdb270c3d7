import { element } from "./element.js";
import { renderMethod } from "./operation-view.js";

/**
 * Creates the list of operations by resource, with a search over their names, paths and descriptions.
 *
 * @param {{ title: string, operations: object[] }[]} resources
 */
export function createSidebar(resources) {
  const links = new Map();
  const groups = resources.map(({ title, operations }) => {
    const group = element("section", {}, element("h2", {}, title));
    for (const operation of operations) {
      const link = createLink(operation);
      links.set(
        link,
        `${title} ${Object.values(operation)
          .filter((value) => typeof value === "string")
          .join(" ")}`.toLowerCase(),
      );
      group.append(link);
    }
    return group;
  });
  const search = element("input", { type: "search", placeholder: "Search", "aria-label": "Search operations" });
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\s+/);
    for (const [link, text] of links) link.hidden = !words.every((word) => text.includes(word));
    for (const group of groups) group.hidden = group.querySelector("a:not([hidden])") === null;
  });
  return element("nav", { "aria-label": "Operations" }, search, ...groups);
}

function createLink({ operationId, summary, method }) {
  return element(
    "a",
    { href: `#${operationId}` },
    renderMethod(method),
    element("span", {}, summary.replaceAll("`", "")),
  );
}
