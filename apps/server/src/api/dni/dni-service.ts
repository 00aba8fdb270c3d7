import { create } from "@bufbuild/protobuf";
import { DomainError, type NumberLifetime, type ReportedVisit } from "@calltrack/domain";
import { ReportVisitResponseSchema, ResolveNumbersResponseSchema } from "@calltrack/domain/gen/calltracking/v1/dni_pb";
import type { Executor } from "@calltrack/postgres";
import type { HandlerContext } from "@connectrpc/connect";
import type { AccountDirectory } from "../../access/account-directory.js";
import type { ServiceOf } from "../methods/method-row.js";
import type { DNI_METHODS } from "./dni-methods.js";
import { resolveCall, resolveCallAt, resolveNumbers } from "./dni-repository.js";

/**
 * Creates the implementation of DniService. An unknown account is no error on the paths of properties, which are public:
 * an error would reveal which accounts exist.
 */
export function createDniService(
  db: Executor,
  accounts: AccountDirectory,
  record: (visit: ReportedVisit) => Promise<void>,
  { maxAgeSeconds, showForSeconds }: NumberLifetime,
): ServiceOf<typeof DNI_METHODS> {
  return {
    async resolveNumbers({ account, ...visitor }, { context }) {
      const found = await accounts.find(account);
      const resolved = found === undefined ? [] : await resolveNumbers(db, found.accountId, visitor);
      const numbers = resolved.map((pair) =>
        pair.number === pair.originalNumber ? pair : { ...pair, showForSeconds },
      );
      allowAnyPage(context);
      context.responseHeader.set("cache-control", `public, max-age=${maxAgeSeconds}`);
      return create(ResolveNumbersResponseSchema, { numbers });
    },

    async reportVisit(visit, { context }) {
      await record(visit);
      allowAnyPage(context);
      return create(ReportVisitResponseSchema);
    },

    async resolveCall({ trackingNumber, at }, { own }) {
      if (at !== undefined) return resolveCallAt(db, trackingNumber, at, own);
      const call = await resolveCall(db, trackingNumber);
      if (call === undefined || (own !== undefined && own.token !== call.accountToken)) {
        throw new DomainError("TRACKING_NUMBER_NOT_FOUND", { trackingNumber });
      }
      return call;
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
