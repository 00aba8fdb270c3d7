import { CallResolutionSchema, ResolvedNumberSchema } from "@calltrack/domain/gen/calltracking/v1/dni_pb";
import type { ResourceView } from "../../output/resource-view.js";

/** View of the numbers that replace original numbers on a page. */
export const resolvedNumberView: ResourceView<typeof ResolvedNumberSchema> = {
  schema: ResolvedNumberSchema,
  expendable: ["pool_id"],
};

/** View of a call's routing. */
export const callResolutionView: ResourceView<typeof CallResolutionSchema> = {
  schema: CallResolutionSchema,
  expendable: [],
};
