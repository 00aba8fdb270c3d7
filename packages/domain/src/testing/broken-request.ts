import { create, type DescMessage, type MessageInitShape, type MessageShape } from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect } from "vitest";
import { DomainError } from "../domain-error.js";
import type { FieldViolation } from "../field-violation.js";
import { anyText } from "./any-text.js";

/** Generators of valid and invalid values for a field; undefined stands for an unset field. */
export interface FieldCases {
  readonly good: fc.Arbitrary<unknown>;
  /** Absent if every value is valid. */
  readonly bad?: fc.Arbitrary<unknown>;
}

/**
 * Checks that a parser reports the invalid fields of a request, each exactly once and in the order of the schema. Tries combinations of valid and
 * invalid fields.
 *
 * @param cases the values of each field, keyed by the field's local name.
 */
export function expectEveryInvalidField<D extends DescMessage>(
  schema: D,
  parse: (request: MessageShape<D>) => unknown,
  cases: Readonly<Record<string, FieldCases>>,
): void {
  const fields = schema.fields.map(({ name, localName }) => {
    const { good, bad } = cases[localName] ?? unknownField(localName);
    const kept = good.map((value) => ({ name, localName, value, isBroken: false }));
    const broken = bad?.map((value) => ({ name, localName, value, isBroken: true }));
    return broken ? fc.oneof(kept, broken) : kept;
  });
  fc.assert(
    fc.property(fc.tuple(...fields), (values) => {
      const init = Object.fromEntries(values.map(({ localName, value }) => [localName, value]));
      const request = create(schema, init as MessageInitShape<D>);
      const broken = values.filter(({ isBroken }) => isBroken);
      expect(invalidFields(() => parse(request))).toEqual(broken.map(({ name }) => name));
    }),
    { numRuns: 500 },
  );
}

/** Returns the violations that a parser reports; empty if it accepts the request. */
export function violationsOf(parse: () => unknown): readonly FieldViolation[] {
  try {
    parse();
    return [];
  } catch (error) {
    if (error instanceof DomainError && error.is("FIELD_INVALID")) return error.facts.violations;
    throw error;
  }
}

/** Returns the problems that a parser reports, such as `size must be between 1 and 10000`. */
export function problemsOf(parse: () => unknown): readonly string[] {
  return violationsOf(parse).map(({ field, description }) => `${field} ${description}`);
}

/** Returns the names of the fields that a parser rejects, with duplicates. */
export function invalidFields(parse: () => unknown): readonly string[] {
  return violationsOf(parse).map(({ field }) => field);
}

/** An optional field that accepts every value. */
export function anyOf(values: fc.Arbitrary<unknown>): FieldCases {
  return { good: fc.option(values, { nil: undefined }) };
}

export function required({ good, bad }: FieldCases): FieldCases {
  return { good, bad: bad ? fc.option(bad, { nil: undefined }) : fc.constant(undefined) };
}

export function optional({ good, bad }: FieldCases): FieldCases {
  return { good: fc.option(good, { nil: undefined }), ...(bad && { bad }) };
}

/** The etags of an update, which parsers do not check, so that any text is valid. */
export const preconditions = { etag: anyOf(anyText(50)), ifNoneMatch: anyOf(anyText(50)) };

/** The `request_id` of a request that creates a resource. */
export const requestId: FieldCases = optional({
  good: fc.oneof(fc.uuid(), fc.stringMatching(/^[ -~]{3,255}$/)),
  bad: fc.constantFrom("", '""', "é", "a".repeat(256)),
});

export const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });

export const positive: FieldCases = { good: int32.filter((each) => each >= 1), bad: int32.filter((each) => each < 1) };

/** Integers in a range, inclusive. */
export function between(min: number, max: number): FieldCases {
  return {
    good: fc.oneof(fc.constantFrom(min, max), fc.integer({ min, max })),
    bad: fc.oneof(
      fc.constantFrom(min - 1, max + 1),
      int32.filter((each) => each < min || each > max),
    ),
  };
}

export const boolean: FieldCases = { good: fc.boolean() };

export const token: FieldCases = {
  good: fc.string({ unit: fc.constantFrom("a", "Z", "7", "-", "é", "\u{1F4DE}"), minLength: 1, maxLength: 255 }),
  bad: fc.constantFrom("a b", "\0", "a\u200d", "\ue000", "\ud83d", "a".repeat(256)),
};

export const reference: FieldCases = {
  good: fc.oneof(token.good, fc.constantFrom("42", " ", "a\u200d", "a".repeat(1000))),
  bad: fc.constantFrom("", "\0", "a\0", "\ud83d"),
};

export const description: FieldCases = {
  good: fc.oneof(
    fc.string({ unit: "grapheme" }).filter((each) => !each.includes("\0")),
    fc.constantFrom("", "\n", "a".repeat(1000)),
  ),
  bad: fc.constantFrom("\0", "\udcde", "a".repeat(1001)),
};

export const phoneNumber: FieldCases = {
  good: fc.integer({ min: 1_000_000, max: 999_999_999_999_999 }).map((digits) => `+${digits}`),
  bad: fc.oneof(
    fc.constantFrom("", "12223334444", "+0222333444", "+1 222 333 4444", "+１２２２３３３４４４４"),
    anyText(20).filter((each) => !each.startsWith("+")),
  ),
};

export const areaCode: FieldCases = {
  good: fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength: 5 }),
  bad: fc.constantFrom("", "123456", "12a", "١٢٣", "123\n"),
};

export const utilization: FieldCases = {
  good: fc.double({ min: 0, max: 1, noNaN: true }),
  bad: fc.oneof(
    fc.constantFrom(
      Number.NaN,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
      -Number.MIN_VALUE,
      1.0000000000000002,
    ),
    fc.double({ max: 0, maxExcluded: true, noNaN: true }).filter((each) => each < 0),
    fc.double({ min: 1, minExcluded: true, noNaN: true }),
  ),
};

function unknownField(localName: string): never {
  throw new Error(`no cases for field ${localName}`);
}
