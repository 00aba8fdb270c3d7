import { CallerService } from "@calltrack/domain/gen/calltracking/v1/caller_pb";
import { declareMethodRows } from "../methods/method-row.js";

export const CALLER_METHODS = declareMethodRows(CallerService, {
  whoAmI: { access: { scope: "any", reach: "own" }, parse: () => undefined },
});
