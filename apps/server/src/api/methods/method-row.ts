import type { DescMethod, DescService, MessageShape } from "@bufbuild/protobuf";
import type { PageRequest, PrincipalAccount } from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";
import type { HandlerContext } from "@connectrpc/connect";
import type { AccountDirectory, ResolvedAccount } from "../../access/account-directory.js";
import type { AccountReference, MethodAccess, RestrictedAccess } from "../../access/method-access.js";
import type { EtagCondition } from "../../database/etag-condition.js";
import type { RequestKey } from "../../database/idempotency/request-key.js";
import type { PagedList, PageReader } from "../../database/page.js";
import type { AuditedType, ChangeOrigin } from "../../database/tables/schema.js";

/** Everything that the server must know about a method, besides the service that runs it. */
export interface MethodRow<Request = never, Input = unknown> {
  readonly access: MethodAccess;
  /**
   * Which account the method gets. `named`: the one that its input names in `account`. `named or own`: that one, or else
   * the account that the principal is bound to. `named or all`: that one, or else
   * undefined, which means all accounts. A principal that is bound to an account must name it. Default: none.
   */
  readonly account?: "named" | "named or own" | "named or all";
  /** Whether the request holds a batch. Then only the server's own limit applies to its body. */
  readonly isBatch?: true;
  /** Whether the request has a `request_id`, which the input holds, too. */
  readonly isIdempotent?: true;
  /** Whether the request has the condition of an update, in `etag` and `if_none_match`. */
  readonly isConditional?: true;
  /** The list that the method reads page by page, as its input's `page` says. */
  readonly list?: PagedList<never> | ((input: never) => PagedList<never>);
  /** Whether the first page names a cursor of the event log, in a header, from which no change of the list is missed. Default: no. */
  readonly namesEventCursor?: true;
  /** The type of the resources whose changes the method writes to the audit log. Default: none. */
  readonly audits?: AuditedType;
  /**
   * Parses and checks a request.
   *
   * @throws DomainError `FIELD_INVALID` for all its invalid fields
   */
  parse(request: Request, context: ParseContext): Input | Promise<Input>;
}

/** The surroundings that the check of a request may depend on. */
export interface ParseContext {
  readonly db: Executor;
  readonly accounts: AccountDirectory;
  /** Returns the time of the pool clock. */
  currentTime(): Promise<Date>;
  /** How long calls are kept, in milliseconds. */
  readonly callRetentionMs: number;
  /** Returns what is wrong with the URL of a webhook endpoint; undefined if it is allowed. */
  webhookUrlProblem(url: string): string | undefined;
}

/** The part of the event log that methods use. */
export interface MethodEvents {
  /** Returns a recent cursor of the log; undefined if the log cannot be read. */
  recentCursor(): Promise<string | undefined>;
  /** Called after a method that may have changed something. */
  wake(): void;
}

/** The parts of an RPC besides its input: the context, and those that the row of its method names. */
export type Rpc<Row = object> = {
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
  (Row extends { isIdempotent: true } ? { readonly key: RequestKey | undefined } : unknown) &
  (Row extends { isConditional: true } ? { readonly condition: EtagCondition } : unknown) &
  (Row extends { list: PagedList<infer T> | ((input: never) => PagedList<infer T>) }
    ? { readonly readPage: PageReader<T> }
    : unknown) &
  (Row extends { audits: AuditedType } ? { readonly origin: ChangeOrigin } : unknown);

/** The rows of a service's methods. */
export interface ServiceRows<S extends DescService = DescService, R = Readonly<Record<string, MethodRow>>> {
  readonly service: S;
  readonly rows: R;
}

/** A service whose requests are parsed: each method gets the input and the parts that its row names. */
export type ServiceOf<T extends ServiceRows<DescService, unknown>> =
  T extends ServiceRows<infer S, infer R>
    ? { readonly [N in keyof R & keyof S["method"]]: Operation<S["method"][N], R[N]> }
    : never;

type Operation<M extends DescMethod, Row> = M["methodKind"] extends "client_streaming"
  ? (inputs: AsyncIterable<InputOf<Row>>, rpc: Rpc<Row>) => Promise<MessageShape<M["output"]>>
  : M["methodKind"] extends "server_streaming"
    ? (input: InputOf<Row>, rpc: Rpc<Row>) => AsyncIterable<MessageShape<M["output"]>>
    : (input: InputOf<Row>, rpc: Rpc<Row>) => Promise<MessageShape<M["output"]>>;

type InputOf<Row> = Row extends { parse(...args: never): infer I } ? Awaited<I> : never;

type RowFor<M extends DescMethod> = MethodRow<MessageShape<M["input"]>> & {
  readonly access: AccessFor<keyof MessageShape<M["input"]>>;
};

/** Restricts methods whose requests name an account: they have the reach `account` or are public. */
type AccessFor<Field> =
  Extract<Field, keyof AccountReference> extends never
    ? MethodAccess
    : "public" | (RestrictedAccess & { readonly reach: "account" });

/** Declares the rows of a service. Every method must have one. */
export function describeMethods<
  S extends DescService,
  const R extends { readonly [N in keyof S["method"]]: RowFor<S["method"][N]> },
>(service: S, rows: R): ServiceRows<S, R> {
  return { service, rows };
}

/** Reads data of the account that the request names. */
export const READS_ACCOUNT = { access: { scope: "read", reach: "account" }, account: "named" } as const;

/** Changes data of the account that the request names. */
export const WRITES_ACCOUNT = { access: { scope: "write", reach: "account" }, account: "named" } as const;

/** The fields of an input that rows name. */
export interface NamedInput {
  /** With `account`. */
  readonly account?: string;
  /** With `isIdempotent`. */
  readonly requestId?: string;
  /** With `list`, and with `namesEventCursor` if it has pages. */
  readonly page?: PageRequest;
}
