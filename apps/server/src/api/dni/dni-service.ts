import { create } from "@bufbuild/protobuf";
import { DomainError, parseReportVisit, parseResolveCall, parseResolveNumbers } from "@calltrack/domain";
import {
  type DniService,
  ReportVisitResponseSchema,
  ResolveNumbersResponseSchema,
} from "@calltrack/domain/gen/calltracking/v1/dni_pb";
import type { Executor } from "@calltrack/postgres";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { ownAccountOf } from "../../access/caller-context.js";
import { resolveCall, resolveNumbers } from "./dni-repository.js";

/** How long browsers may cache numbers. Shorter than the interval between passes. */
const NUMBERS_MAX_AGE_S = 30;

/** Creates the implementation of DniService. */
export function createDniService(
  db: Executor,
  record: (visit: ReturnType<typeof parseReportVisit>) => Promise<void>,
): ServiceImpl<typeof DniService> {
  return {
    async resolveNumbers(request, context) {
      const numbers = await resolveNumbers(db, parseResolveNumbers(request));
      allowAnyPage(context);
      context.responseHeader.set("cache-control", `public, max-age=${NUMBERS_MAX_AGE_S}`);
      return create(ResolveNumbersResponseSchema, { numbers });
    },

    async reportVisit(request, context) {
      await record(parseReportVisit(request));
      allowAnyPage(context);
      return create(ReportVisitResponseSchema);
    },

    async resolveCall(request, { values }) {
      const { trackingNumber } = parseResolveCall(request);
      const own = ownAccountOf(values)?.token;
      const call = (await resolveCall(db, trackingNumber)) ?? trackingNumberNotFound(trackingNumber);
      return own === undefined || own === call.accountToken ? call : trackingNumberNotFound(trackingNumber);
    },
  };
}

/**
 * Allows scripts of any web page to read the response
 * (https://fetch.spec.whatwg.org/#http-access-control-allow-origin).
 */
function allowAnyPage({ responseHeader }: HandlerContext): void {
  responseHeader.set("access-control-allow-origin", "*");
}

function trackingNumberNotFound(trackingNumber: string): never {
  throw new DomainError("TRACKING_NUMBER_NOT_FOUND", { trackingNumber });
}
