import { type DescMethod, type DescService, type JsonObject, type Message, toJson } from "@bufbuild/protobuf";
import { DomainError, type FieldViolation } from "@calltrack/domain";
import { createServiceImplSpec, type HandlerContext, type ServiceImplSpec } from "@connectrpc/connect";
import { changeOriginOf } from "../../access/change-origin.js";
import { createRequestKey } from "../../access/create-request-key.js";
import type { Guard } from "../../access/guard.js";
import { findNamedOrOwnAccount, ownAccountOf } from "../../access/principal-context.js";
import type { RequestCheck } from "../../access/rpc-options.js";
import { type ConditionalRequest, findConditionViolations, parseEtagCondition } from "../../database/etag-condition.js";
import { NO_ACCOUNT } from "../../database/idempotency/request-key.js";
import { openPage } from "../../database/page.js";
import type { MethodRow, NamedInput, ParseContext, Rpc, ServiceOf, ServiceRows } from "./method-row.js";

/** A row of any method. */
type Row = MethodRow<Message, unknown>;

/** A method of any service. */
type Operation = (input: unknown, rpc: Rpc) => unknown;

/** Runs methods as their rows say. */
interface MethodRunner {
  /** Implements the methods of a service. */
  implement<S extends DescService, R>(
    service: ServiceRows<S, R>,
    operations: ServiceOf<ServiceRows<S, R>>,
  ): ServiceImplSpec;
  readonly findViolations: RequestCheck;
}

/**
 * Creates the runner of methods.
 *
 * @param rows the rows of all of them.
 */
export function createMethodRunner(
  rows: ReadonlyMap<DescMethod, MethodRow>,
  guard: Pick<Guard, "checkAccount">,
  parseContext: ParseContext,
): MethodRunner {
  const { accounts } = parseContext;

  async function parse(row: Row, request: Message, { values }: HandlerContext): Promise<unknown> {
    guard.checkAccount?.(row.access, request, values);
    const violations = row.isConditional ? findConditionViolations(request as ConditionalRequest) : [];
    if (violations.length === 0) return row.parse(request, parseContext);
    const others = await collectViolations(() => row.parse(request, parseContext));
    throw new DomainError("FIELD_INVALID", { violations: [...violations, ...others] });
  }

  /** Makes the parts that a row names. Checks the page token first, because that takes no statement. */
  async function prepare(row: Row, request: Message, input: unknown, context: HandlerContext): Promise<Rpc> {
    const named = input as NamedInput;
    const list = typeof row.list === "function" ? row.list(input as never) : row.list;
    const readPage = list && openPage(list, named.page);
    const account = row.account && (await findAccount(row.account, named.account, context));
    const readFields = () => toJson(context.method.input, request) as JsonObject;
    const rpc = {
      context,
      own: ownOf(row, context),
      account,
      readPage,
      key: row.isIdempotent && createRequestKey(named.requestId, readFields, context, account?.accountId ?? NO_ACCOUNT),
      condition: row.isConditional && parseEtagCondition(request as ConditionalRequest),
      origin: row.audits && changeOriginOf(context),
    };
    return rpc;
  }

  function findAccount(kind: "named" | "named or own", account: string | undefined, { values }: HandlerContext) {
    return kind === "named" ? accounts.require(account as string) : findNamedOrOwnAccount(accounts, account, values);
  }

  function implementMethod({ methodKind }: DescMethod, row: Row, run: Operation) {
    switch (methodKind) {
      case "unary":
        return async (request: Message, context: HandlerContext) => {
          const input = await parse(row, request, context);
          return run(input, await prepare(row, request, input, context));
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
          const rpc = { context, own: ownOf(row, context), origin: changeOriginOf(context) };
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
      // Health and reflection accept every message.
      if (row === undefined) return [];
      return collectViolations(() => parse(row, request, context));
    },
  };
}

/** Parses a request, and returns the violations that it is rejected with. */
async function collectViolations(parse: () => unknown): Promise<readonly FieldViolation[]> {
  try {
    await parse();
    return [];
  } catch (error) {
    if (error instanceof DomainError && error.is("FIELD_INVALID")) return error.facts.violations;
    throw error;
  }
}

/** The account of the principal, for a method that reaches only its data. */
function ownOf({ access }: Row, { values }: HandlerContext) {
  return access !== "public" && access.reach === "own" ? ownAccountOf(values) : undefined;
}
