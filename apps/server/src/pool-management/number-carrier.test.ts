import { expect, test } from "vitest";
import { inventoryCarrier } from "../api/inventory/inventory-carrier.js";
import { describeBehavior } from "../testing/behavior.js";
import { newTrackedPool } from "../testing/tracked-pool.js";
import type { NumberCarrier } from "./number-carrier.js";

/** A carrier that supplies only the even numbers of the inventory. */
const evenCarrier: NumberCarrier = {
  ...inventoryCarrier,
  async search(db, areaCode, count) {
    const found = await inventoryCarrier.search(db, areaCode, 10 * count);
    return found.filter(isEven).slice(0, count);
  },
  async preview(db, areaCode, count) {
    const found = await inventoryCarrier.preview(db, areaCode, 10 * count);
    return found.filter(({ trackingNumber }) => isEven(trackingNumber)).slice(0, count);
  },
};

function isEven(number: string): boolean {
  return Number(number.at(-1)) % 2 === 0;
}

describeBehavior(
  "a custom carrier",
  (service) => {
    test("is used by passes, plans and explanations", async () => {
      const { api } = service;
      const pool = await newTrackedPool(service, { size: 3, numbers: 10 });
      const numbers = (await api.listCallTrackers(pool.name)).entries.map(({ tracking_number }) => tracking_number);
      expect(numbers).toHaveLength(3);
      expect(numbers.every(isEven)).toBe(true);
      const plan = await api.planPoolUpdate({ ...pool.name, size: 9 });
      expect(plan).toMatchObject({ changes: [{ kind: "added" }, { kind: "added" }], missing_numbers: 4 });
      expect(plan.changes.every(({ tracking_number }) => isEven(tracking_number))).toBe(true);
      await api.updatePool({ ...pool.name, size: 9 });
      expect(await api.explainPool(pool.name)).toMatchObject({ missing_numbers: 4 });
      await service.server.runDue();
      expect((await api.listCallTrackers(pool.name)).entries).toHaveLength(5);
    });
  },
  { carrier: evenCarrier, managesPools: false },
);
