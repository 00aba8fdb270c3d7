import { parseReportVisit, parseResolveCall, parseResolveNumbers, parseResolveVisit } from "@calltrack/domain";
import { DniService } from "@calltrack/domain/gen/calltracking/v1/dni_pb";
import { describeMethods } from "../methods/method-row.js";

/**
 * Web pages call the public methods, which need no credentials, because a page cannot keep a secret. Their rows require no account: the
 * error for an unknown one would reveal which accounts exist.
 */
export const DNI_METHODS = describeMethods(DniService, {
  resolveNumbers: { access: "public", parse: parseResolveNumbers },
  resolveVisit: { access: "public", parse: parseResolveVisit },
  reportVisit: { access: "public", parse: parseReportVisit },
  resolveCall: {
    access: { scope: "dni", orScope: "calls", reach: "own" },
    parse: async (request, { currentTime }) =>
      parseResolveCall(request, request.at === undefined ? new Date() : await currentTime()),
  },
});
