/** An entity tag (RFC 9110 section 8.8.3). */
export interface EntityTag {
  readonly isWeak: boolean;
  /** The tag with its quotes: `"xyzzy"`. */
  readonly opaqueTag: string;
}

/*
 * entity-tags = "*" / #entity-tag
 * entity-tag  = [ "W/" ] DQUOTE *( %x21 / %x23-7E / %x80-FF ) DQUOTE
 *
 * Elements of a list may be empty (RFC 9110 section 5.6.1).
 */
const ELEMENT = /[ \t]*(?:(W\/)?("[\x21\x23-\x7e\x80-\xff]*"))?[ \t]*(?:,|$)/y;

/** Parses the value of If-Match or If-None-Match; `*` matches any tag. Returns no tags for a malformed value. */
export function parseEntityTags(text: string): "*" | readonly EntityTag[] {
  if (text.trim() === "*") return "*";
  const tags: EntityTag[] = [];
  ELEMENT.lastIndex = 0;
  while (ELEMENT.lastIndex < text.length) {
    const element = ELEMENT.exec(text);
    if (element === null) return [];
    const [, weak, opaqueTag] = element;
    if (opaqueTag !== undefined) tags.push({ isWeak: weak !== undefined, opaqueTag });
  }
  return tags;
}
