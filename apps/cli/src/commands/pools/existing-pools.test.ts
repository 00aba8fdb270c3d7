import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { PoolSchema, PoolType } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { expect, test } from "vitest";
import { collectExistingPools, type ExistingPools, type ImportedPoolFields } from "./existing-pools.js";

const flags = { isDni: true, isPrompted: false, isRecorded: true };
const manual = { ...flags, areaCode: "415", poolType: PoolType.MANUAL, size: 10 };
const automanaged = { ...manual, poolType: PoolType.AUTOMANAGED, propertyToken: "www", utilization: 0.5 };
const row = { ...automanaged, originalNumber: "+12223334444" };

async function existing(...pools: MessageInitShape<typeof PoolSchema>[]): Promise<ExistingPools> {
  async function* pages() {
    yield pools.map((pool) => create(PoolSchema, { originalNumberId: "id-1", ...pool }));
  }
  const numberIds = new Map([
    ["+12223334444", "id-1"],
    ["+12223335555", "id-2"],
  ]);
  return await collectExistingPools(pages(), numberIds);
}

test("each pool matches one row", async () => {
  const pools = await existing(automanaged, automanaged, manual);
  expect([1, 2, 3].map(() => pools.take(row))).toStrictEqual([true, true, false]);
  expect(pools.take({ ...manual, originalNumber: "+12223334444" })).toBe(true);
});

test.each<[string, ImportedPoolFields]>([
  ["number", { originalNumber: "+12223335555" }],
  ["number, which is not registered", { originalNumber: "+19998887777" }],
  ["area code", { areaCode: "0415" }],
  ["description", { description: "" }],
  ["flag", { isDni: false }],
  ["type", { poolType: PoolType.MANUAL }],
  ["property", { propertyToken: "WWW" }],
  ["size", { size: 11 }],
  ["utilization", { utilization: 0.51 }],
])("a row with another %s matches no pool", async (_, change) => {
  const pools = await existing(automanaged);
  expect(pools.take({ ...row, ...change })).toBe(false);
  expect(pools.take(row)).toBe(true);
});

test("a row without a number matches no pool", async () => {
  const { originalNumber: _, ...without } = row;
  expect((await existing(automanaged)).take(without)).toBe(false);
});

test("a manual row matches a pool with any utilization and an empty property", async () => {
  const pools = await existing(manual);
  const other = { ...manual, originalNumber: "+12223334444", utilization: 7, propertyToken: "" };
  expect(pools.take(other)).toBe(true);
});
