/** Undefined attributes are omitted. */
export interface XmlElement {
  readonly name: string;
  readonly attributes?: Readonly<Record<string, string | number | undefined>>;
  readonly content?: readonly XmlElement[] | string;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** The characters to escape. Parsers normalize white space in attributes, and line ends everywhere. U+0085 and U+2028 end lines in XML 1.1. */
const ESCAPED = /[&<>"\t\n\r\u0085\u2028]/g;

/** Characters that no XML 1.0 document can contain, not even escaped (section 2.2). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu;

export function writeXml(root: XmlElement): string {
  return `<?xml version="1.0" encoding="UTF-8"?>${writeElement(root)}`;
}

function writeElement({ name, attributes = {}, content = "" }: XmlElement): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${escapeText(String(value))}"`);
  const inner = typeof content === "string" ? escapeText(content) : content.map(writeElement).join("");
  return `<${name}${written.join("")}${inner === "" ? "/>" : `>${inner}</${name}>`}`;
}

function escapeText(text: string): string {
  const write = (character: string) => ENTITIES[character] ?? `&#${character.charCodeAt(0)};`;
  return text.replace(FORBIDDEN, "").replace(ESCAPED, write);
}
