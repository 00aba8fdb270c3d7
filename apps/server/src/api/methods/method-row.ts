import type { DescMethod, DescService, MessageShape } from "@bufbuild/protobuf";
import type { PageRequest, PrincipalAccount } from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";
import type { HandlerContext } from "@connectrpc/connect";
import type { AccountDirectory, ResolvedAccount } from "../../access/account-directory.js";
import type { AccountReference, MethodAccess, RestrictedAccess } from "../../access/method-access.js";
import type { EtagCondition } from "../../database/etag-condition.js";
import type { IdempotencyKey } from "../../database/idempotency/idempotency-key.js";
import type { PagedList, PageReader } from "../../database/page.js";
import type { AuditedResourceType, ChangeOrigin } from "../../database/tables/schema.js";

/** Everything that the server must know about a method besides its implementation. */
export interface MethodRow<Request = never, Input = unknown> {
  readonly access: MethodAccess;
  /**
   * Which account the method gets. Default: none.
   *
   * - `named`: the account that the input names in `account`.
   * - `named or own`: the named account or, if the input names none, the account that the principal is bound to.
   * - `named or all`: the named account or, if the input names none, undefined for all accounts. A bound principal must name its account.
   */
  readonly account?: "named" | "named or own" | "named or all";
  /** Whether the request contains a batch. If so, only the limit of the whole server applies to the request's size. */
  readonly isBatch?: true;
  /** Whether the request has a `request_id`. The input must contain it as `requestId`. */
  readonly isIdempotent?: true;
  /** Whether the request can make the update conditional with the fields `etag` and `if_none_match`. */
  readonly isConditional?: true;
  /** The list that the method reads page by page. The input's `page` selects the page. */
  readonly list?: PagedList<never> | ((input: never) => PagedList<never>);
  /**
   * Whether the response with the first page has the header `X-Event-Cursor`. The events after that cursor include every change to the
   * list that its pages do not show. Default: no.
   */
  readonly namesEventCursor?: true;
  /** The type of the resources whose changes the method writes to the audit log. Default: none. */
  readonly audits?: AuditedResourceType;
  /** Parses and checks a request. Throws one DomainError `FIELD_INVALID` for all invalid fields. */
  parse(request: Request, context: ParseContext): Input | Promise<Input>;
}

/** The values, besides the request itself, that the check of a request may depend on. */
export interface ParseContext {
  readonly db: Executor;
  readonly accounts: AccountDirectory;
  /** Returns the time of the pool clock. */
  currentTime(): Promise<Date>;
  readonly callRetentionMs: number;
  /** Returns the reason why a webhook endpoint may not have the URL; undefined if the URL is allowed. */
  findWebhookUrlProblem(url: string): string | undefined;
}

/** The part of the event log that methods use. */
export interface EventLogAccess {
  /** Returns a recent cursor of the log; undefined if the log cannot be read. */
  recentCursor(): Promise<string | undefined>;
  /** Called after a method that may have changed something, so that watchers get the events of the change at once. */
  wake(): void;
}

/** The arguments of a method besides its input: the context, and the parts that its row requires. */
export type RpcArguments<Row = object> = {
  readonly context: HandlerContext;
} & (Row extends { access: { reach: "own" } }
  ? {
      /** The account that the principal is bound to. Undefined if the principal may access all accounts. */
      readonly own: PrincipalAccount | undefined;
    }
  : unknown) &
  (Row extends { account: "named" } ? { readonly account: ResolvedAccount } : unknown) &
  (Row extends { account: "named or own" | "named or all" }
    ? { readonly account: ResolvedAccount | undefined }
    : unknown) &
  (Row extends { isIdempotent: true } ? { readonly key: IdempotencyKey | undefined } : unknown) &
  (Row extends { isConditional: true } ? { readonly condition: EtagCondition } : unknown) &
  (Row extends { list: PagedList<infer T> | ((input: never) => PagedList<infer T>) }
    ? { readonly readPage: PageReader<T> }
    : unknown) &
  (Row extends { audits: AuditedResourceType } ? { readonly origin: ChangeOrigin } : unknown);

/** A service of the API with the rows of its methods, keyed by the local names of the methods. */
export interface ServiceMethodRows<S extends DescService = DescService, R = Readonly<Record<string, MethodRow>>> {
  readonly service: S;
  readonly rows: R;
}

/** The implementation of a service: each method gets its parsed input and the parts that its row requires. */
export type ServiceImplementation<T extends ServiceMethodRows<DescService, unknown>> =
  T extends ServiceMethodRows<infer S, infer R>
    ? { readonly [N in keyof R & keyof S["method"]]: Operation<S["method"][N], R[N]> }
    : never;

type Operation<M extends DescMethod, Row> = M["methodKind"] extends "client_streaming"
  ? (inputs: AsyncIterable<InputOf<Row>>, rpc: RpcArguments<Row>) => Promise<MessageShape<M["output"]>>
  : M["methodKind"] extends "server_streaming"
    ? (input: InputOf<Row>, rpc: RpcArguments<Row>) => AsyncIterable<MessageShape<M["output"]>>
    : (input: InputOf<Row>, rpc: RpcArguments<Row>) => Promise<MessageShape<M["output"]>>;

type InputOf<Row> = Row extends { parse(...args: never): infer I } ? Awaited<I> : never;

type RowFor<M extends DescMethod> = MethodRow<MessageShape<M["input"]>> & {
  readonly access: AccessFor<keyof MessageShape<M["input"]>>;
};

/** Requires that a method whose requests name an account has the reach `account` or is public. */
type AccessFor<Field> =
  Extract<Field, keyof AccountReference> extends never
    ? MethodAccess
    : "public" | (RestrictedAccess & { readonly reach: "account" });

/** Declares the rows of a service's methods. The type `R` requires a row for every method. */
export function declareMethodRows<
  S extends DescService,
  const R extends { readonly [N in keyof S["method"]]: RowFor<S["method"][N]> },
>(service: S, rows: R): ServiceMethodRows<S, R> {
  return { service, rows };
}

/** The part of a row that all methods share that read data of the account in the request. */
export const ACCOUNT_READ_METHOD = { access: { scope: "read", reach: "account" }, account: "named" } as const;

/** The part of a row that all methods share that change data of the account in the request. */
export const ACCOUNT_WRITE_METHOD = { access: { scope: "write", reach: "account" }, account: "named" } as const;

/** The fields of a parsed input that the server itself reads, if the method's row says so. */
export interface MethodInputFields {
  /** Read if the row has `account`. */
  readonly account?: string;
  /** Read if the row has `isIdempotent`. */
  readonly requestId?: string;
  /** Read if the row has `list` or `namesEventCursor`. Absent in exports, which have no pages. */
  readonly page?: PageRequest;
}
