/**
 * Creates an element.
 *
 * @param {string} name
 * @param {Record<string, unknown>} properties of the element; `class` and names with a hyphen are attributes.
 * @param {...(Node | string)} children
 */
export function element(name, properties = {}, ...children) {
  const created = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined) continue;
    if (key === "class" || key.includes("-")) created.setAttribute(key, String(value));
    else created[key] = value;
  }
  created.append(...children);
  return created;
}

/** Creates a part of the page that is folded until the reader opens it. */
export function folded(title, content, isOpen = false) {
  return element("details", { open: isOpen }, element("summary", {}, ...[title].flat()), ...[content].flat());
}
