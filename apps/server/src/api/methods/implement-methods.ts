import { type DescMethod, type DescService, type JsonObject, type Message, toJson } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { DomainError, type FieldViolation, type PageRequest } from "@calltrack/domain";
import { addResponseHeader } from "@calltrack/transcoding";
import { createServiceImplSpec, type HandlerContext, type ServiceImplSpec } from "@connectrpc/connect";
import type { AccessGuard } from "../../access/access-guard.js";
import { readChangeOrigin } from "../../access/change-origin.js";
import { createIdempotencyKey } from "../../access/create-idempotency-key.js";
import {
  findAccountByNameOrPrincipal,
  findAccountOfPrincipal,
  requireUnboundPrincipal,
} from "../../access/principal-context.js";
import type { RequestViolationFinder } from "../../access/rpc-options.js";
import { type ConditionalRequest, findEtagViolations, parseEtagCondition } from "../../database/etag-condition.js";
import { ABSENT_ACCOUNT_ID } from "../../database/idempotency/idempotency-key.js";
import { createPageReader } from "../../database/page.js";
import type {
  EventLogAccess,
  MethodInputFields,
  MethodRow,
  ParseContext,
  RpcArguments,
  ServiceImplementation,
  ServiceMethodRows,
} from "./method-row.js";

type Row = MethodRow<Message, unknown>;

type Operation = (input: unknown, rpc: RpcArguments) => unknown;

/** Implements services by running each method as its `MethodRow` declares. */
interface MethodRunner {
  implement<S extends DescService, R>(
    service: ServiceMethodRows<S, R>,
    operations: ServiceImplementation<ServiceMethodRows<S, R>>,
  ): ServiceImplSpec;
  readonly findViolations: RequestViolationFinder;
}

/**
 * @param rows contains the `MethodRow` of every API method.
 */
export function createMethodRunner(
  rows: ReadonlyMap<DescMethod, MethodRow>,
  guard: Pick<AccessGuard, "requireAccountAccess">,
  parseContext: ParseContext,
  events: EventLogAccess,
): MethodRunner {
  const { accounts } = parseContext;

  async function parse(row: Row, request: Message, { values }: HandlerContext): Promise<unknown> {
    guard.requireAccountAccess?.(row.access, request, values);
    const violations = row.isConditional ? findEtagViolations(request as ConditionalRequest) : [];
    if (violations.length === 0) return row.parse(request, parseContext);
    const others = await collectViolations(() => row.parse(request, parseContext));
    throw new DomainError("FIELD_INVALID", { violations: [...violations, ...others] });
  }

  /** Prepares the arguments that a row requires. Checks the page token first, because that check needs no SQL statement. */
  async function prepare(row: Row, request: Message, input: unknown, context: HandlerContext): Promise<RpcArguments> {
    const named = input as MethodInputFields;
    const list = typeof row.list === "function" ? row.list(input as never) : row.list;
    const readPage = list && createPageReader(list, named.page as PageRequest);
    const account = row.account && (await findAccount(row.account, named.account, context));
    // The cursor must be read before the list, so that the events after the cursor include every later change.
    if (row.namesEventCursor && named.page?.token === undefined) {
      const cursor = await events.recentCursor();
      if (cursor !== undefined) addResponseHeader(context, "x-event-cursor", cursor);
    }
    const readFields = () => toJson(context.method.input, request) as JsonObject;
    const rpc = {
      context,
      own: ownOf(row, context),
      account,
      readPage,
      key:
        row.isIdempotent &&
        createIdempotencyKey(named.requestId, readFields, context, account?.accountId ?? ABSENT_ACCOUNT_ID),
      condition: row.isConditional && parseEtagCondition(request as ConditionalRequest),
      origin: row.audits && readChangeOrigin(context),
    };
    return rpc;
  }

  function findAccount(kind: NonNullable<Row["account"]>, account: string | undefined, { values }: HandlerContext) {
    if (kind === "named or own") return findAccountByNameOrPrincipal(accounts, account, values);
    if (kind === "named" || account !== undefined) return accounts.require(account as string);
    requireUnboundPrincipal(values);
    return undefined;
  }

  function implementMethod({ methodKind, idempotency }: DescMethod, row: Row, run: Operation) {
    const done = idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS ? () => {} : () => events.wake();
    switch (methodKind) {
      case "unary":
        return async (request: Message, context: HandlerContext) => {
          const input = await parse(row, request, context);
          const response = await run(input, await prepare(row, request, input, context));
          done();
          return response;
        };
      case "server_streaming":
        return async function* (request: Message, context: HandlerContext) {
          const input = await parse(row, request, context);
          yield* run(input, await prepare(row, request, input, context)) as AsyncIterable<Message>;
        };
      default:
        return async (requests: AsyncIterable<Message>, context: HandlerContext) => {
          async function* parseEach() {
            for await (const request of requests) yield await parse(row, request, context);
          }
          const rpc = { context, own: ownOf(row, context), origin: readChangeOrigin(context) };
          return run(parseEach(), rpc);
        };
    }
  }

  return {
    implement(described, operations) {
      const implementation = described.service.methods.map((method) => {
        const name = method.localName;
        const row = (described.rows as Readonly<Record<string, Row>>)[name] as Row;
        const run = (operations as Readonly<Record<string, Operation>>)[name] as Operation;
        return [name, implementMethod(method, row, run)];
      });
      return createServiceImplSpec(described.service, Object.fromEntries(implementation));
    },

    async findViolations(method, request, context) {
      const row = rows.get(method) as Row | undefined;
      // The methods for health checks and reflection accept every message.
      if (row === undefined) return [];
      return collectViolations(() => parse(row, request, context));
    },
  };
}

/** Returns the violations that `parse` throws; none if the request is valid. */
async function collectViolations(parse: () => unknown): Promise<readonly FieldViolation[]> {
  try {
    await parse();
    return [];
  } catch (error) {
    if (error instanceof DomainError && error.is("FIELD_INVALID")) return error.facts.violations;
    throw error;
  }
}

/** Returns the account that the principal is bound to, if the method has the reach `own`; undefined otherwise. */
function ownOf({ access }: Row, { values }: HandlerContext) {
  return access !== "public" && access.reach === "own" ? findAccountOfPrincipal(values) : undefined;
}
