import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { ApiKeySchema, ApiKeyScope } from "@calltrack/domain/gen/calltracking/v1/api_key_pb";
import { PoolExplanationSchema, PoolSchema, PoolType } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { expect, test } from "vitest";
import { rowFromMessage } from "./output-row.js";

const createdAt = timestampFromDate(new Date("2026-11-20T21:01:15.933Z"));

test("a row has all fields by their documented names, and null for absent values", () => {
  const pool = create(PoolSchema, { id: "1", areaCode: "0415", poolType: PoolType.MANUAL, size: 10, createdAt });
  expect(rowFromMessage(PoolSchema, pool)).toStrictEqual({
    id: "1",
    original_number_id: "",
    account_token: "",
    area_code: "0415",
    description: null,
    is_dni: false,
    is_prompted: false,
    is_recorded: false,
    pool_type: "manual",
    property_token: null,
    size: 10,
    utilization: null,
    created_at: "2026-11-20T21:01:15.933Z",
    updated_at: null,
  });
});

test("the pool type AUTOMATED is called automanaged", () => {
  const pool = create(PoolSchema, { poolType: PoolType.AUTOMATED });
  expect(rowFromMessage(PoolSchema, pool)).toMatchObject({ pool_type: "automanaged" });
});

test("a list of enum values becomes a list of names", () => {
  const key = create(ApiKeySchema, { scopes: [ApiKeyScope.READ, ApiKeyScope.DNI] });
  expect(rowFromMessage(ApiKeySchema, key)).toMatchObject({ scopes: ["read", "dni"] });
});

test("a timestamp always has milliseconds", () => {
  const whole = timestampFromDate(new Date("2026-11-20T21:01:15.000Z"));
  expect(rowFromMessage(PoolSchema, create(PoolSchema, { createdAt: whole, updatedAt: createdAt }))).toMatchObject({
    created_at: "2026-11-20T21:01:15.000Z",
    updated_at: "2026-11-20T21:01:15.933Z",
  });
});

test("a 64-bit count is a number", () => {
  const explanation = create(PoolExplanationSchema, { visitsNeeded: 101n, sources: [{ visits: 7n }] });
  expect(rowFromMessage(PoolExplanationSchema, explanation)).toMatchObject({
    visits_needed: 101,
    unattributed_visits: 0,
    sources: [{ visits: 7 }],
  });
  expect(rowFromMessage(PoolExplanationSchema, create(PoolExplanationSchema))).toMatchObject({ visits_needed: null });
});
