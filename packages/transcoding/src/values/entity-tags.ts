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
 * Elements of a list may be empty (RFC 9110 section 5.6.1). Each expression reads every character once, so that matching takes time
 * proportional to the length of the text.
 */
const ANY = /^[ \t]*\*[ \t]*$/;
const SEPARATORS = /[ \t,]*/y;
const TAG = /(W\/)?("[\x21\x23-\x7e\x80-\xff]*")[ \t]*(?:,|$)/y;

/** Parses the value of If-Match or If-None-Match. Returns `*` if any tag matches, and undefined if the value is malformed or lists no tag. */
export function parseEntityTags(text: string): "*" | readonly EntityTag[] | undefined {
  if (ANY.test(text)) return "*";
  const tags: EntityTag[] = [];
  for (let at = skipSeparators(text, 0); at < text.length; at = skipSeparators(text, TAG.lastIndex)) {
    TAG.lastIndex = at;
    const [, weak, opaqueTag] = TAG.exec(text) ?? [];
    if (opaqueTag === undefined) return undefined;
    tags.push({ isWeak: weak !== undefined, opaqueTag });
  }
  return tags.length > 0 ? tags : undefined;
}

function skipSeparators(text: string, at: number): number {
  SEPARATORS.lastIndex = at;
  SEPARATORS.test(text);
  return SEPARATORS.lastIndex;
}

/** Describes what is wrong with a value that `parseEntityTags` cannot parse, such as `must be …`. Returns undefined for a valid value. */
export function findEntityTagsProblem(text: string): string | undefined {
  return parseEntityTags(text) === undefined
    ? 'must be * or a list of etags in double quotes, such as "1", "2"'
    : undefined;
}
