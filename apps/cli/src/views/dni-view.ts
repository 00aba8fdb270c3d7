import { CallResolutionSchema, ResolvedNumberSchema } from "@calltrack/domain/gen/calltracking/v1/dni_pb";
import type { ResourceView } from "./resource-view.js";

/** How the numbers that a page shows are shown. */
export const resolvedNumberView: ResourceView<typeof ResolvedNumberSchema> = {
  schema: ResolvedNumberSchema,
  expendable: ["pool_id"],
};

/** How it is shown where a call goes. */
export const callResolutionView: ResourceView<typeof CallResolutionSchema> = {
  schema: CallResolutionSchema,
  expendable: [],
};
