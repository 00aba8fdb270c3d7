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
import { createRowEncoder, type RowEncoder, type SharedTexts } from "./row-encoder.js";
import type { FieldSources } from "./stored-field.js";

/**
 * A method that lists messages.
 *
 * @typeParam S the type of the responses.
 * @typeParam R the rows.
 * @typeParam C what else the messages depend on, such as their account.
 */
export interface ListMethod<S extends DescMessage, R, C> {
  readonly schema: S;
  /** The local name of the field with the list. */
  readonly list: string;
  /** Makes the message of a row. */
  readonly messageOf: (context: C, row: R) => Message;
  readonly sources: FieldSources;
  /** Returns the texts of the `shared` sources. */
  readonly sharedOf: (context: C) => SharedTexts;
}

/** A page of a list. */
export interface ListPage<R, C> {
  readonly rows: readonly ListRow<R>[];
  readonly context: C;
  /** Empty on the last page. */
  readonly nextPageToken: string;
}

type ListField = DescField & { readonly message: DescMessage };
type Response = Message & Record<string, unknown>;

/**
 * Creates a function that creates the responses of a list method. They write their rows straight to the wire, because making messages first takes
 * most of the time of a request. They make the messages when anything reads the list, such as an interceptor.
 */
export function createListResponder<S extends DescMessage, R, C>({
  schema,
  list,
  messageOf,
  sources,
  sharedOf,
}: ListMethod<S, R, C>): (page: ListPage<R, C>) => MessageShape<S> {
  const field = schema.field[list] as ListField;
  const encoders = new WeakMap<Columns, RowEncoder | undefined>();

  function encoderOf([row]: readonly ListRow<R>[]): RowEncoder | undefined {
    if (!(row instanceof StoredRow)) return undefined;
    const { columns } = row;
    if (!encoders.has(columns)) encoders.set(columns, createRowEncoder(field.message, columns, sources));
    return encoders.get(columns);
  }

  return ({ rows, context, nextPageToken }) => {
    const response = create(schema as DescMessage, { nextPageToken }) as Response;
    const encoder = encoderOf(rows);
    const makeMessages = () => rows.map((row) => messageOf(context, readListRow(row)));
    if (encoder === undefined) response[list] = makeMessages();
    else
      StoredList.attach(response, field, {
        rows: rows as readonly StoredRow<R>[],
        encoder,
        shared: sharedOf(context),
        makeMessages,
      });
    return response as MessageShape<S>;
  };
}

/** The rows of a response. */
interface StoredRows {
  readonly rows: readonly StoredRow<unknown>[];
  readonly encoder: RowEncoder;
  readonly shared: SharedTexts;
  readonly makeMessages: () => Message[];
}

/** The list of a response, as long as nothing has read it. */
class StoredList implements OwnEncoding {
  readonly #response: Response;
  readonly #field: ListField;
  readonly #stored: StoredRows;
  #isRead = false;

  private constructor(response: Response, field: ListField, stored: StoredRows) {
    this.#response = response;
    this.#field = field;
    this.#stored = stored;
  }

  /** Makes a response read its list from stored rows. */
  static attach(response: Response, field: ListField, stored: StoredRows): void {
    const list = new StoredList(response, field, stored);
    Object.defineProperty(response, OWN_ENCODING, { value: list });
    Object.defineProperty(response, field.localName, {
      configurable: true,
      enumerable: true,
      get: () => list.#replace(stored.makeMessages()),
      set: (messages) => list.#replace(messages),
    });
  }

  encodeField(field: DescField, options: EncodeOptions): string | undefined {
    if (this.#isRead || field !== this.#field || options !== PATH_JSON) return undefined;
    const { encoder, rows, shared } = this.#stored;
    return encoder.toJson(rows, shared);
  }

  encodeBinary(): Uint8Array<ArrayBuffer> | undefined {
    if (this.#isRead) return undefined;
    const { encoder, rows, shared } = this.#stored;
    const others = toBinary(this.#field.parent, this.#withoutList());
    const list = encoder.toBinary(rows, shared, this.#field.number);
    return others.length === 0 ? list : Buffer.concat([list, others]);
  }

  #withoutList(): Message {
    const { parent } = this.#field;
    const others = parent.fields.filter((field) => field !== this.#field);
    return create(parent, Object.fromEntries(others.map(({ localName }) => [localName, this.#response[localName]])));
  }

  #replace<T>(messages: T): T {
    this.#isRead = true;
    Object.defineProperty(this.#response, this.#field.localName, { value: messages, writable: true });
    return messages;
  }
}
