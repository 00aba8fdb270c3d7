import { element, folded } from "./element.js";

/**
 * Renders the Markdown that the API's comments use: paragraphs, lists, code spans and sections. A section is folded.
 *
 * @param {string} text
 * @returns {HTMLElement[]}
 */
export function renderMarkdown(text = "") {
  const [before, ...sections] = text.split(/^## /m);
  const parts = sections.map((section) => {
    const [title, ...lines] = section.split("\n");
    return folded(title, renderBlocks(lines.join("\n")));
  });
  return [...renderBlocks(before), ...parts];
}

function renderBlocks(text) {
  return text
    .split(/\n\s*\n/)
    .map((block) => block.trim())
    .filter((block) => block !== "")
    .map((block) => (block.startsWith("- ") ? renderList(block) : element("p", {}, ...renderSpans(block))));
}

function renderList(block) {
  const items = block.slice(2).split(/\n- /);
  return element("ul", {}, ...items.map((item) => element("li", {}, ...renderSpans(item))));
}

/** Renders code spans; all other text as it is. */
export function renderSpans(text = "") {
  return text.split("`").map((part, index) => (index % 2 === 1 ? element("code", {}, part) : part));
}
