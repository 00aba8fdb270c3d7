import { CallResolutionSchema, ResolvedNumberSchema } from "@calltrack/domain/gen/calltracking/v1/dni_pb";
import type { ResourceView } from "./resource-view.js";

/** Shows the numbers that replace original numbers on a page. */
export const resolvedNumberView: ResourceView<typeof ResolvedNumberSchema> = {
  schema: ResolvedNumberSchema,
  expendable: ["pool_id"],
};

/** Shows where a call is routed. */
export const callResolutionView: ResourceView<typeof CallResolutionSchema> = {
  schema: CallResolutionSchema,
  expendable: [],
};
