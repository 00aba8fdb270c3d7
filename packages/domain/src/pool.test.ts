import { create, type MessageInitShape } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DomainError } from "./domain-error.js";
import {
  CreatePoolRequestSchema,
  GetPoolRequestSchema,
  ListPoolsRequestSchema,
  PoolType,
  UpdatePoolRequestSchema,
} from "./gen/calltracking/v1/pool_pb.js";
import {
  findUtilizationProblem,
  type NewPool,
  parseCreatePoolRequest,
  parseGetPoolRequest,
  parseListPoolsRequest,
  parseUpdatePoolRequest,
} from "./pool.js";
import { anyText } from "./testing/any-text.js";
import {
  anyOf,
  areaCode,
  between,
  boolean,
  description,
  expectEveryInvalidField,
  type FieldCases,
  int32,
  invalidFields,
  optional,
  phoneNumber,
  positive,
  preconditions,
  problemsOf,
  reference,
  requestId,
  required,
  token,
  utilization,
  violationsOf,
} from "./testing/broken-request.js";

type CreateInit = MessageInitShape<typeof CreatePoolRequestSchema>;
type UpdateInit = MessageInitShape<typeof UpdatePoolRequestSchema>;

const NOT_IN_SIZE = "size must be between 1 and 10000";
const NOT_A_SHARE = "utilization must be between 0 and 1";
const NOT_A_TYPE = "pool_type must be manual or automanaged";
const NEEDED = "is required for an automanaged pool";

const MANUAL = {
  accountId: "acct_1",
  originalNumber: "+12223334444",
  areaCode: "030",
  isDni: true,
  isPrompted: false,
  isRecorded: true,
  poolType: PoolType.MANUAL,
  size: 10,
} satisfies CreateInit;

const AUTOMANAGED = {
  ...MANUAL,
  poolType: PoolType.AUTOMANAGED,
  propertyToken: "prop_1",
  utilization: 0.5,
} satisfies CreateInit;

const PARSED_MANUAL = parsedFrom(MANUAL);
const PARSED_AUTOMANAGED = parsedFrom(AUTOMANAGED);

function parsedFrom({ accountId, ...fields }: typeof MANUAL | typeof AUTOMANAGED): Partial<NewPool> {
  return { account: accountId, ...fields };
}

describe("parseCreatePoolRequest", () => {
  test.each<[name: string, init: CreateInit, parsed: Partial<NewPool>]>([
    ["manual", MANUAL, PARSED_MANUAL],
    ["automanaged", AUTOMANAGED, PARSED_AUTOMANAGED],
    ["automated, the other name", { ...AUTOMANAGED, poolType: PoolType.AUTOMATED }, PARSED_AUTOMANAGED],
    ["manual with a property", { ...MANUAL, propertyToken: "p" }, { ...PARSED_MANUAL, propertyToken: "p" }],
    ["manual with an empty property", { ...MANUAL, propertyToken: "" }, PARSED_MANUAL],
    ["manual with a utilization, which is ignored", { ...MANUAL, utilization: 0.5 }, PARSED_MANUAL],
    ["manual with a utilization out of range", { ...MANUAL, utilization: -7 }, PARSED_MANUAL],
    ["manual with NaN", { ...MANUAL, utilization: Number.NaN }, PARSED_MANUAL],
    ["a description", { ...MANUAL, description: "Köln" }, { ...PARSED_MANUAL, description: "Köln" }],
    ["an empty description stays empty", { ...MANUAL, description: "" }, { ...PARSED_MANUAL, description: "" }],
    ["the account by its id", { ...MANUAL, accountId: "42" }, { ...PARSED_MANUAL, account: "42" }],
    ["the smallest size", { ...MANUAL, size: 1 }, { ...PARSED_MANUAL, size: 1 }],
    ["the largest size", { ...MANUAL, size: 10_000 }, { ...PARSED_MANUAL, size: 10_000 }],
    ["a utilization of 0", { ...AUTOMANAGED, utilization: 0 }, { ...PARSED_AUTOMANAGED, utilization: 0 }],
    ["a utilization of 1", { ...AUTOMANAGED, utilization: 1 }, { ...PARSED_AUTOMANAGED, utilization: 1 }],
    [
      "three false flags",
      { ...MANUAL, isDni: false, isRecorded: false },
      { ...PARSED_MANUAL, isDni: false, isRecorded: false },
    ],
  ])("accepts %s", (_, init, parsed) => {
    expect(parseCreatePoolRequest(create(CreatePoolRequestSchema, init))).toEqual(parsed);
  });

  test.each<[name: string, init: CreateInit, problems: string[]]>([
    ["a size of 0", { ...MANUAL, size: 0 }, [NOT_IN_SIZE]],
    ["a size of 10001", { ...MANUAL, size: 10_001 }, [NOT_IN_SIZE]],
    ["a negative size", { ...MANUAL, size: -1 }, [NOT_IN_SIZE]],
    [
      "automanaged without a property",
      { ...MANUAL, poolType: PoolType.AUTOMANAGED, utilization: 0.5 },
      [`property_token ${NEEDED}`],
    ],
    ["automanaged with an empty property", { ...AUTOMANAGED, propertyToken: "" }, [`property_token ${NEEDED}`]],
    [
      "automanaged without a utilization",
      { ...MANUAL, poolType: PoolType.AUTOMANAGED, propertyToken: "p" },
      [`utilization ${NEEDED}`],
    ],
    ["automanaged with a utilization over 1", { ...AUTOMANAGED, utilization: 1.01 }, [NOT_A_SHARE]],
    ["automanaged with a utilization under 0", { ...AUTOMANAGED, utilization: -0.01 }, [NOT_A_SHARE]],
    ["automanaged with NaN", { ...AUTOMANAGED, utilization: Number.NaN }, [NOT_A_SHARE]],
    ["automanaged with infinity", { ...AUTOMANAGED, utilization: Number.POSITIVE_INFINITY }, [NOT_A_SHARE]],
    [
      "a manual pool with an invalid property",
      { ...MANUAL, propertyToken: "a b" },
      ["property_token must not contain whitespace, control, format or unassigned characters"],
    ],
    ["the unspecified type", { ...AUTOMANAGED, poolType: PoolType.UNSPECIFIED }, [NOT_A_TYPE]],
    ["an unknown type", { ...MANUAL, poolType: 3 as PoolType }, [NOT_A_TYPE]],
    [
      "nothing",
      {},
      [
        "account_id is required",
        "original_number is required",
        "area_code is required",
        "is_dni is required",
        "is_prompted is required",
        "is_recorded is required",
        "pool_type is required",
        "size is required",
      ],
    ],
    [
      "only invalid fields",
      {
        accountId: "\0",
        originalNumber: "1222",
        areaCode: "123456",
        description: "a".repeat(1001),
        poolType: PoolType.AUTOMANAGED,
        propertyToken: "\u200d",
        size: 10_001,
        utilization: 2,
      },
      [
        "account_id must not contain a NUL character",
        "original_number must be a phone number in E.164 format, such as +12223334444",
        "area_code must be 1 to 5 digits",
        "description must have at most 1000 characters",
        "is_dni is required",
        "is_prompted is required",
        "is_recorded is required",
        "property_token must not contain whitespace, control, format or unassigned characters",
        NOT_IN_SIZE,
        NOT_A_SHARE,
      ],
    ],
  ])("rejects %s", (_, init, problems) => {
    expect(problemsOf(() => parseCreatePoolRequest(create(CreatePoolRequestSchema, init)))).toEqual(problems);
  });

  const common = {
    accountId: required(reference),
    originalNumber: required(phoneNumber),
    areaCode: required(areaCode),
    description: optional(description),
    isDni: required(boolean),
    isPrompted: required(boolean),
    isRecorded: required(boolean),
    size: required(between(1, 10_000)),
  };
  const emptyOrAbsent = fc.constantFrom("", undefined);
  const anyDouble = fc.double();

  test.each<[name: string, cases: Record<string, FieldCases>]>([
    [
      "manual",
      {
        ...common,
        poolType: { good: fc.constant(PoolType.MANUAL) },
        propertyToken: { ...token, good: fc.oneof(token.good, emptyOrAbsent) },
        utilization: anyOf(anyDouble),
      },
    ],
    [
      "automanaged",
      {
        ...common,
        poolType: { good: fc.constant(PoolType.AUTOMANAGED) },
        propertyToken: { good: token.good, bad: fc.oneof(token.bad ?? fc.constant(""), emptyOrAbsent) },
        utilization: required(utilization),
      },
    ],
    [
      "of unknown type",
      {
        ...common,
        poolType: { good: fc.constant(PoolType.MANUAL), bad: fc.constantFrom(undefined, PoolType.UNSPECIFIED, 3, -1) },
        propertyToken: { ...token, good: fc.oneof(token.good, emptyOrAbsent) },
        utilization: anyOf(anyDouble),
      },
    ],
  ])("reports every invalid field exactly once, of a pool that is %s", (_, cases) => {
    expectEveryInvalidField(CreatePoolRequestSchema, parseCreatePoolRequest, { ...cases, requestId });
  });

  // Most fields are valid; otherwise no request would pass the rules.
  const anyRequest = fc
    .record({
      accountId: fieldOf(reference, anyText(300)),
      originalNumber: fieldOf(phoneNumber, anyText(20)),
      areaCode: fieldOf(areaCode, anyText(8)),
      description: fieldOf(description, anyText(1100)),
      isDni: fieldOf(boolean, fc.boolean()),
      isPrompted: fieldOf(boolean, fc.boolean()),
      isRecorded: fieldOf(boolean, fc.boolean()),
      poolType: fieldOf({ good: fc.constantFrom(PoolType.MANUAL, PoolType.AUTOMANAGED) }, int32),
      propertyToken: fieldOf(token, anyText(300)),
      size: fieldOf(between(1, 10_000), int32),
      utilization: fieldOf(utilization, anyDouble),
    })
    .map((init) => create(CreatePoolRequestSchema, init as CreateInit));

  test("returns a pool that satisfies the table's constraints, or reports existing fields only", () => {
    const names = new Set(CreatePoolRequestSchema.fields.map(({ name }) => name));
    const outcomes = { taken: 0, refused: 0 };
    fc.assert(
      fc.property(anyRequest, (request) => {
        const refused = invalidFields(() => parseCreatePoolRequest(request));
        outcomes[refused.length > 0 ? "refused" : "taken"] += 1;
        expect(refused.filter((field) => !names.has(field))).toEqual([]);
        expect(new Set(refused).size).toBe(refused.length);
        if (refused.length === 0) expect(constraintsBroken(parseCreatePoolRequest(request))).toEqual([]);
      }),
      { numRuns: 2000 },
    );
    expect(outcomes.taken).toBeGreaterThan(100);
    expect(outcomes.refused).toBeGreaterThan(100);
  });

  test("lists the violations in the message", () => {
    fc.assert(
      fc.property(anyRequest, (request) => {
        const violations = violationsOf(() => parseCreatePoolRequest(request));
        fc.pre(violations.length > 0);
        const { message } = new DomainError("FIELD_INVALID", { violations });
        expect(() => parseCreatePoolRequest(request)).toThrow(message);
      }),
    );
  });
});

describe("parseGetPoolRequest", () => {
  test("returns the account and the id, without requiring a UUID", () => {
    const request = create(GetPoolRequestSchema, { accountId: "acct_1", poolId: "no-uuid" });
    expect(parseGetPoolRequest(request)).toEqual({ account: "acct_1", poolId: "no-uuid" });
  });

  test("reports every invalid field exactly once", () => {
    const cases = { accountId: required(reference), poolId: required(reference) };
    expectEveryInvalidField(GetPoolRequestSchema, parseGetPoolRequest, cases);
  });
});

describe("parseListPoolsRequest", () => {
  test("returns the account and the page", () => {
    const request = create(ListPoolsRequestSchema, { accountId: "acct_1", pageSize: 20 });
    expect(parseListPoolsRequest(request)).toEqual({ account: "acct_1", page: { size: 20, token: undefined } });
  });

  test("reports every invalid field exactly once", () => {
    const cases = { accountId: required(reference), pageSize: optional(positive), pageToken: anyOf(anyText(50)) };
    expectEveryInvalidField(ListPoolsRequestSchema, parseListPoolsRequest, cases);
  });
});

describe("parseUpdatePoolRequest", () => {
  const POOL = { accountId: "acct_1", poolId: "x" } satisfies UpdateInit;
  const UNCHANGED = { account: "acct_1", poolId: "x", areaCode: undefined, size: undefined, utilization: undefined };

  test.each<[name: string, init: UpdateInit, poolType: PoolType | undefined, parsed: object]>([
    ["nothing to change", POOL, undefined, UNCHANGED],
    [
      "all three",
      { ...POOL, areaCode: "030", size: 10_000, utilization: 1 },
      PoolType.AUTOMANAGED,
      { ...UNCHANGED, areaCode: "030", size: 10_000, utilization: 1 },
    ],
    ["a utilization of 0", { ...POOL, utilization: 0 }, PoolType.AUTOMANAGED, { ...UNCHANGED, utilization: 0 }],
    [
      "any utilization for a manual pool",
      { ...POOL, utilization: 7 },
      PoolType.MANUAL,
      { ...UNCHANGED, utilization: 7 },
    ],
    [
      "any utilization for a pool of unknown type",
      { ...POOL, utilization: 7 },
      undefined,
      { ...UNCHANGED, utilization: 7 },
    ],
  ])("accepts %s", (_, init, poolType, parsed) => {
    expect(parseUpdatePoolRequest(create(UpdatePoolRequestSchema, init), poolType)).toEqual(parsed);
  });

  test.each<[name: string, init: UpdateInit, poolType: PoolType | undefined, problems: string[]]>([
    [
      "only invalid fields",
      { accountId: "", areaCode: "", size: 0, utilization: Number.NaN },
      PoolType.AUTOMANAGED,
      [
        "account_id must not be empty",
        "pool_id is required",
        "area_code must be 1 to 5 digits",
        NOT_IN_SIZE,
        NOT_A_SHARE,
      ],
    ],
    [
      "the other fields of a manual pool",
      { ...POOL, areaCode: "1a", size: 10_001, utilization: 2 },
      PoolType.MANUAL,
      ["area_code must be 1 to 5 digits", NOT_IN_SIZE],
    ],
  ])("rejects %s", (_, init, poolType, problems) => {
    const request = create(UpdatePoolRequestSchema, init);
    expect(problemsOf(() => parseUpdatePoolRequest(request, poolType))).toEqual(problems);
  });

  test.each<[name: string, poolType: PoolType | undefined, utilization: FieldCases]>([
    ["automanaged", PoolType.AUTOMANAGED, optional(utilization)],
    ["manual", PoolType.MANUAL, anyOf(fc.double())],
    ["not known yet", undefined, anyOf(fc.double())],
  ])("reports every invalid field exactly once, of a pool that is %s", (_, poolType, utilizationCases) => {
    const cases = {
      accountId: required(reference),
      poolId: required(reference),
      areaCode: optional(areaCode),
      size: optional(between(1, 10_000)),
      utilization: utilizationCases,
      ...preconditions,
    };
    expectEveryInvalidField(UpdatePoolRequestSchema, (request) => parseUpdatePoolRequest(request, poolType), cases);
  });
});

test("findUtilizationProblem accepts exactly the numbers from 0 to 1", () => {
  fc.assert(
    fc.property(fc.double(), (share) => {
      const clamped = Math.min(1, Math.max(0, share));
      expect(findUtilizationProblem(share) === undefined).toBe(clamped === share);
    }),
  );
});

/** Returns the names of the constraints that a new pool violates. The constraints are those of the table `pools` and of texts in PostgreSQL. */
function constraintsBroken(pool: NewPool): string[] {
  const texts = [pool.account, pool.originalNumber, pool.areaCode, pool.description, pool.propertyToken];
  const notNull = [pool.isDni, pool.isPrompted, pool.isRecorded, pool.areaCode, pool.originalNumber, pool.size];
  const share = pool.utilization;
  const holds = {
    not_null: notNull.every((value) => value !== undefined),
    text_is_storable: texts.every((text) => text === undefined || (text.isWellFormed() && !text.includes("\0"))),
    pools_area_code_is_digits: /^[0-9]{1,5}$/.test(pool.areaCode),
    pools_type_is_known: pool.poolType === PoolType.MANUAL || pool.poolType === PoolType.AUTOMANAGED,
    pools_size_is_in_range: Number.isInteger(pool.size) && pool.size >= 1 && pool.size <= 10_000,
    pools_utilization_fits_type:
      pool.poolType === PoolType.MANUAL
        ? share === undefined
        : share !== undefined && share >= 0 && share <= 1 && pool.propertyToken !== undefined,
  };
  return Object.entries(holds).flatMap(([constraint, isKept]) => (isKept ? [] : [constraint]));
}

/** Mostly valid values; otherwise any value or undefined. */
function fieldOf({ good }: FieldCases, any: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof(
    { arbitrary: good, weight: 16 },
    { arbitrary: any, weight: 1 },
    { arbitrary: fc.constant(undefined), weight: 1 },
  );
}
