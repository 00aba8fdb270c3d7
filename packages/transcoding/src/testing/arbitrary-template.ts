import fc from "fast-check";
import { normalizePathEscapes } from "../routing/path-escape.js";
import type { PathTemplate, TemplateSegment, TemplateVariable } from "../routing/path-template.js";

const unit = fc.constantFrom("a", "B", "0", "-", ".", "_", "~", "!", "=", "@", "%2F", "%3A", "%2A", "%25", "%C3%A9");
const literalText = fc
  .string({ unit, minLength: 1, maxLength: 4 })
  .map(normalizePathEscapes)
  .filter((text) => text !== "." && text !== "..");

const fixed: fc.Arbitrary<TemplateSegment> = fc.oneof(
  literalText.map((value) => ({ kind: "literal", value }) as const),
  fc.constant({ kind: "single" } as const),
);

/** An arbitrary for a part of a template: a variable that consists of segments, or one segment outside of variables. */
const part = fc.record({
  bound: fc.boolean(),
  segments: fc.array(fixed, { minLength: 1, maxLength: 3 }),
});

const template = fc.record({
  parts: fc.array(part, { maxLength: 4 }),
  /** The position of a `**` among the segments. If no variable has a segment at this position, the template has no `**`. */
  multiAt: fc.nat(12),
  verb: fc.option(literalText, { nil: undefined }),
});

export const arbitraryTemplate: fc.Arbitrary<PathTemplate> = template.map(buildTemplate);

/** An arbitrary for path templates whose wildcards are all in variables, so that a path can be built from values. */
export const arbitraryBoundTemplate: fc.Arbitrary<PathTemplate> = template.map(({ parts, ...others }) => {
  const bound = parts.map((part) => ({ ...part, bound: part.bound || hasWildcard(part) }));
  return buildTemplate({ ...others, parts: bound });
});

interface Parts {
  readonly parts: readonly { readonly bound: boolean; readonly segments: readonly TemplateSegment[] }[];
  readonly multiAt: number;
  readonly verb: string | undefined;
}

function buildTemplate({ parts, multiAt, verb }: Parts): PathTemplate {
  const segments: TemplateSegment[] = [];
  const variables: TemplateVariable[] = [];
  for (const part of parts) {
    const start = segments.length;
    for (const segment of part.bound ? part.segments : part.segments.slice(0, 1)) {
      segments.push(part.bound && segments.length === multiAt ? { kind: "multi" } : segment);
    }
    const end = segments.length;
    const multi = end - start > 1 || segments[start]?.kind === "multi";
    if (part.bound) variables.push({ fieldPath: `field.v${variables.length}`, start, end, multi });
  }
  return { segments, variables, verb: segments.length === 0 ? undefined : verb };
}

function hasWildcard({ segments: [first] }: { readonly segments: readonly TemplateSegment[] }): boolean {
  return first?.kind === "single";
}
