import { create } from "@bufbuild/protobuf";
import {
  applySourceAliases,
  DomainError,
  type NumberLifetime,
  type ReportedVisit,
  type ResolveNumbersQuery,
  type VisitEvidence,
} from "@calltrack/domain";
import {
  ReportVisitResponseSchema,
  ResolveNumbersResponseSchema,
  ResolveVisitResponseSchema,
} from "@calltrack/domain/gen/calltracking/v1/dni_pb";
import { decideVisitSource } from "@calltrack/domain/traffic-source";
import type { Executor } from "@calltrack/postgres";
import type { HandlerContext } from "@connectrpc/connect";
import type { AccountDirectory } from "../../access/account-directory.js";
import type { ServiceImplementation } from "../methods/method-row.js";
import type { SourceAliasDirectory } from "../traffic/source-alias-directory.js";
import type { DNI_METHODS } from "./dni-methods.js";
import { resolveCall, resolveCallAt, resolveNumbers } from "./dni-repository.js";

/**
 * Creates the implementation of DniService. Its public methods return no error for an unknown account, because an error would reveal
 * which accounts exist.
 */
export function createDniService(
  db: Executor,
  accounts: AccountDirectory,
  aliases: SourceAliasDirectory,
  record: (visit: ReportedVisit) => Promise<void>,
  { maxAgeSeconds, showForSeconds }: NumberLifetime,
): ServiceImplementation<typeof DNI_METHODS> {
  /**
   * Finds the numbers for a visitor, and replaces the visitor's source if it is an alias. If there are no numbers, returns the source unchanged,
   * because a replaced source would reveal that the account exists.
   */
  const resolveShownNumbers = async ({ account, ...visitor }: ResolveNumbersQuery) => {
    const { source, medium } = visitor;
    const found = await accounts.find(account);
    const none = { source, medium, numbers: [] };
    if (found === undefined) return none;
    const named =
      source === undefined
        ? { source, medium }
        : applySourceAliases(await aliases.find(found.accountId), { source, medium });
    const resolved = await resolveNumbers(db, found.accountId, { ...visitor, ...named });
    if (resolved.length === 0) return none;
    const numbers = resolved.map((pair) => (pair.number === pair.originalNumber ? pair : { ...pair, showForSeconds }));
    return { ...named, numbers };
  };
  return {
    async resolveNumbers(visitor, { context }) {
      const { numbers } = await resolveShownNumbers(visitor);
      context.responseHeader.set("cache-control", `public, max-age=${maxAgeSeconds}`);
      return create(ResolveNumbersResponseSchema, { numbers });
    },

    async resolveVisit({ evidence, ...visitor }, { context }) {
      const { source, ...decision } = decide(evidence, context);
      const found = source === undefined ? {} : await resolveShownNumbers({ ...visitor, ...source });
      context.responseHeader.set("cache-control", "no-store");
      return create(ResolveVisitResponseSchema, { ...decision, site: evidence.page?.site, ...found });
    },

    async reportVisit({ origin, ...visit }, { context }) {
      const { source, isCounted } = "source" in origin ? { source: origin, isCounted: true } : decide(origin, context);
      if (isCounted && source !== undefined) await record({ ...visit, ...source });
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

function decide(evidence: VisitEvidence, { requestHeader }: HandlerContext) {
  return decideVisitSource(evidence, requestHeader.get("user-agent") ?? undefined);
}
