import {
  parseAddTrackingNumbersRequest,
  parseCountTrackingNumbersRequest,
  parseListTrackingNumbersRequest,
  parseRetireTrackingNumberRequest,
} from "@calltrack/domain";
import { InventoryService } from "@calltrack/domain/gen/calltracking/v1/inventory_pb";
import { declareMethodRows } from "../methods/method-row.js";
import { TRACKING_NUMBER_PAGED_LIST } from "./tracking-number-repository.js";

const READS_INVENTORY = { access: { scope: "read", reach: "service" } } as const;

const WRITES_INVENTORY = { access: { scope: "write", reach: "service" }, audits: "tracking_number" } as const;

export const INVENTORY_METHODS = declareMethodRows(InventoryService, {
  addTrackingNumbers: { ...WRITES_INVENTORY, isBatch: true, isIdempotent: true, parse: parseAddTrackingNumbersRequest },
  importTrackingNumbers: { ...WRITES_INVENTORY, isBatch: true, parse: parseAddTrackingNumbersRequest },
  listTrackingNumbers: { ...READS_INVENTORY, list: TRACKING_NUMBER_PAGED_LIST, parse: parseListTrackingNumbersRequest },
  countTrackingNumbers: { ...READS_INVENTORY, parse: parseCountTrackingNumbersRequest },
  retireTrackingNumber: { ...WRITES_INVENTORY, parse: parseRetireTrackingNumberRequest },
});
