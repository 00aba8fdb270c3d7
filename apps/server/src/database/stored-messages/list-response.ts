import {
  create,
  type DescField,
  type DescMessage,
  type Message,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { type Columns, type ListRow, readListRow, StoredRow } from "@calltrack/postgres";
import { type EncodeOptions, OWN_ENCODING, type OwnEncoding } from "@calltrack/transcoding";
import { PATH_JSON } from "../../errors/json-path-options.js";
import { createRowEncoder, type RowEncoder } from "./row-encoder.js";

/**
 * A method that lists messages of an account. Their field `account_token` has its token, and `etag` is the etag of the column
 * `updated_at`.
 *
 * @typeParam S the type of the responses.
 * @typeParam R the rows.
 * @typeParam A the account.
 */
export interface ListMethod<S extends DescMessage, R, A> {
  readonly schema: S;
  /** The local name of the field with the list. */
  readonly list: string;
  readonly messageOf: (account: A, row: R) => Message;
}

/** A page of a list. */
export interface ListPage<R, A> {
  readonly rows: readonly ListRow<R>[];
  readonly context: A;
  /** Empty on the last page. */
  readonly nextPageToken: string;
}

/** A response whose list is read from stored rows when something reads it. */
interface StoredResponse extends Message {
  nextPageToken: string;
  readonly [OWN_ENCODING]: StoredList;
}

/**
 * Creates a function that creates the responses of a list method. They write their rows straight to the wire, because making messages first takes
 * most of the time of a request. They make the messages when anything reads the list, such as an interceptor.
 *
 * @throws Error if the response has other fields than the list and `next_page_token`.
 */
export function createListResponder<S extends DescMessage, R, A extends { readonly accountToken: string }>({
  schema,
  list,
  messageOf,
}: ListMethod<S, R, A>): (page: ListPage<R, A>) => MessageShape<S> {
  const names = schema.fields.map(({ localName }) => localName).toSorted();
  if (names.join() !== [list, "nextPageToken"].toSorted().join()) throw new Error(`${schema.typeName}: unknown fields`);
  const field = schema.field[list] as ListField;
  const encoders = new WeakMap<Columns, RowEncoder | undefined>();
  // All responses share the accessor, because V8 would create a hidden class for each object with an accessor of its own.
  const accessor: PropertyDescriptor & ThisType<StoredResponse> = {
    configurable: true,
    enumerable: true,
    get() {
      return this[OWN_ENCODING].read();
    },
    set(messages) {
      this[OWN_ENCODING].replace(messages);
    },
  };

  function encoderOf([row]: readonly ListRow<R>[]): RowEncoder | undefined {
    if (!(row instanceof StoredRow)) return undefined;
    const { columns } = row;
    if (!encoders.has(columns)) encoders.set(columns, createRowEncoder(field, columns));
    return encoders.get(columns);
  }

  return ({ rows, context, nextPageToken }) => {
    const response = { $typeName: schema.typeName, nextPageToken };
    const makeMessages = () => rows.map((row) => messageOf(context, readListRow(row)));
    const encoder = encoderOf(rows);
    if (encoder === undefined) return { ...response, [list]: makeMessages() } as unknown as MessageShape<S>;
    const { accountToken } = context;
    const stored = { rows: rows as readonly StoredRow<R>[], encoder, accountToken, makeMessages };
    Object.defineProperty(response, list, accessor);
    Object.defineProperty(response, OWN_ENCODING, { value: new StoredList(response, field, stored) });
    return response as unknown as MessageShape<S>;
  };
}

type ListField = DescField & { readonly message: DescMessage };

interface StoredRows {
  readonly rows: readonly StoredRow<unknown>[];
  readonly encoder: RowEncoder;
  readonly accountToken: string;
  readonly makeMessages: () => Message[];
}

/** The list of a response, as long as nothing has read it. */
class StoredList implements OwnEncoding {
  readonly #response: { readonly nextPageToken: string };
  readonly #field: ListField;
  readonly #stored: StoredRows;
  #isRead = false;

  constructor(response: { readonly nextPageToken: string }, field: ListField, stored: StoredRows) {
    this.#response = response;
    this.#field = field;
    this.#stored = stored;
  }

  /** Makes the messages, which then replace the stored rows. */
  read(): Message[] {
    const messages = this.#stored.makeMessages();
    this.replace(messages);
    return messages;
  }

  replace(messages: unknown): void {
    this.#isRead = true;
    Object.defineProperty(this.#response, this.#field.localName, { value: messages, writable: true });
  }

  encodeField(field: DescField, options: EncodeOptions): string | undefined {
    if (this.#isRead || field !== this.#field || options !== PATH_JSON) return undefined;
    const { encoder, rows, accountToken } = this.#stored;
    return encoder.toJson(rows, accountToken);
  }

  encodeBinary(): Uint8Array<ArrayBuffer> | undefined {
    if (this.#isRead) return undefined;
    const { encoder, rows, accountToken } = this.#stored;
    const list = encoder.toBinary(rows, accountToken);
    const { nextPageToken } = this.#response;
    if (nextPageToken === "") return list;
    return Buffer.concat([list, toBinary(this.#field.parent, create(this.#field.parent, { nextPageToken }))]);
  }
}
