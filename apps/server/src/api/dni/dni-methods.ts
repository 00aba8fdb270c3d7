import {
  parseReportVisitRequest,
  parseResolveCallRequest,
  parseResolveNumbersRequest,
  parseResolveVisitRequest,
} from "@calltrack/domain";
import { DniService } from "@calltrack/domain/gen/calltracking/v1/dni_pb";
import { declareMethodRows } from "../methods/method-row.js";

/**
 * The public methods are for web pages, which cannot keep credentials secret. These methods do not declare `account`, because the error for an
 * unknown account would reveal which accounts exist.
 */
export const DNI_METHODS = declareMethodRows(DniService, {
  resolveNumbers: { access: "public", parse: parseResolveNumbersRequest },
  resolveVisit: { access: "public", parse: parseResolveVisitRequest },
  reportVisit: { access: "public", parse: parseReportVisitRequest },
  resolveCall: {
    access: { scope: "dni", orScope: "calls", reach: "own" },
    parse: async (request, { currentTime }) =>
      parseResolveCallRequest(request, request.at === undefined ? new Date() : await currentTime()),
  },
});
