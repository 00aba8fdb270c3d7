import {
  parseAddTrackingNumbers,
  parseCountTrackingNumbers,
  parseListTrackingNumbers,
  parseRetireTrackingNumber,
} from "@calltrack/domain";
import { InventoryService } from "@calltrack/domain/gen/calltracking/v1/inventory_pb";
import { describeMethods } from "../methods/method-row.js";
import { TRACKING_NUMBERS } from "./tracking-number-repository.js";

const READS_INVENTORY = { access: { scope: "read", reach: "service" } } as const;

const WRITES_INVENTORY = { access: { scope: "write", reach: "service" }, audits: "tracking_number" } as const;

export const INVENTORY_METHODS = describeMethods(InventoryService, {
  addTrackingNumbers: { ...WRITES_INVENTORY, isBatch: true, isIdempotent: true, parse: parseAddTrackingNumbers },
  importTrackingNumbers: { ...WRITES_INVENTORY, isBatch: true, parse: parseAddTrackingNumbers },
  listTrackingNumbers: { ...READS_INVENTORY, list: TRACKING_NUMBERS, parse: parseListTrackingNumbers },
  countTrackingNumbers: { ...READS_INVENTORY, parse: parseCountTrackingNumbers },
  retireTrackingNumber: { ...WRITES_INVENTORY, parse: parseRetireTrackingNumber },
});
