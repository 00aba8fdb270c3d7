import type { DescMessage, DescService, MessageShape } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { escapeForTerminal } from "@calltrack/domain/escape-for-terminal";
import { type Client, createClient } from "@connectrpc/connect";
import { createBearerAuthInterceptor } from "../connection/bearer-auth-interceptor.js";
import { type Connection, openConnection } from "../connection/connection.js";
import { createRequestLogInterceptor } from "../connection/request-log-interceptor.js";
import { requestIdInterceptor } from "../connection/retry/request-id.js";
import { createRetryInterceptor } from "../connection/retry/retry-interceptor.js";
import { createWaitNoticeInterceptor } from "../connection/retry/wait-notice-interceptor.js";
import { readServerTime } from "../connection/server-time.js";
import type { GlobalOptions } from "../options/global-options.js";
import type { TimeOption } from "../options/time-option.js";
import type { RowList } from "../output/output-format.js";
import { listRowFields, type OutputRow, rowFromMessage } from "../output/output-row.js";
import type { ResourceView, RowView, TableCellSources } from "../output/resource-view.js";
import { writeRow, writeRows } from "../output/write-rows.js";
import { writeText } from "../output/write-text.js";
import type { CommandHost } from "../process/command-host.js";

/** A result that contains a list, and the text around the list. */
interface Report<Desc extends DescMessage, Item extends DescMessage> {
  readonly view: ResourceView<Desc>;
  readonly message: MessageShape<Desc>;
  readonly itemView: ResourceView<Item>;
  readonly items: readonly MessageShape<Item>[];
  /** Fields shown above the list, one per line. */
  readonly facts?: OutputRow;
  /** Lines above the list. */
  readonly warnings?: readonly string[];
  /** Lines below the list. */
  readonly remarks?: readonly string[];
}

type Pages<Item> = AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>;

/** One run of a command: its connection to the service, and its output. Must be closed. */
export class Invocation {
  /** Writes a line to stderr. An import replaces this function, so that lines do not break its progress bar. */
  notify: (line: string) => void;
  readonly #connection: Connection;
  /** How far the server's clock is ahead of this machine's, in milliseconds; undefined until it is needed. */
  #clockLead: Promise<number> | undefined;

  constructor(
    readonly host: CommandHost,
    readonly options: GlobalOptions,
  ) {
    const report = options.verbose ? (line: string) => void host.stderr.write(line) : () => {};
    this.notify = (line) => void host.stderr.write(line);
    const interceptors = [
      requestIdInterceptor,
      createWaitNoticeInterceptor(options.server, (text) => this.notify(`${escapeForTerminal(text)}\n`)),
      createRetryInterceptor(options, report),
      createRequestLogInterceptor(report),
      options.key ? createBearerAuthInterceptor(options.key) : [],
    ].flat();
    this.#connection = openConnection({ ...options, interceptors });
  }

  /**
   * Returns a client for one of the API's services.
   *
   * @param signal cancels the client's requests; by default, the first interrupt does.
   */
  client<Service extends DescService>(service: Service, signal = this.host.interrupt.stop): Client<Service> {
    const { transport } = this.#connection;
    return createClient(service, {
      unary: (method, _, ...call) => transport.unary(method, signal, ...call),
      stream: (method, _, ...call) => transport.stream(method, signal, ...call),
    });
  }

  /**
   * Returns the time that an option specifies; undefined without an option. Durations are relative to the server's current time, because this
   * machine's clock may be wrong.
   */
  async timeOf(option: TimeOption | undefined): Promise<Timestamp | undefined> {
    if (typeof option !== "function") return option;
    this.#clockLead ??= readServerTime(this.options, this.host.interrupt.stop).then((time) => time - Date.now());
    return option(Date.now() + (await this.#clockLead));
  }

  /** Writes one resource to stdout. */
  async show<Desc extends DescMessage>(view: ResourceView<Desc>, message: MessageShape<Desc>): Promise<void> {
    await this.showRow(rowFromMessage(view.schema, message));
  }

  /** Writes one resource to stdout, or only its etag if the user passes `--etag`. */
  async showOrEtag<Desc extends DescMessage>(
    view: ResourceView<Desc>,
    message: MessageShape<Desc> & { readonly etag: string },
    { etag }: { readonly etag?: boolean },
  ): Promise<void> {
    if (etag) this.host.stdout.write(`${message.etag}\n`);
    else await this.show(view, message);
  }

  /** Writes one result that is not a resource of the API to stdout. */
  async showRow(row: OutputRow): Promise<void> {
    await writeRow(this.host, this.options, row);
  }

  /** Writes a list of resources to stdout, page by page if the format allows. */
  async showList<Desc extends DescMessage>(view: ResourceView<Desc>, pages: Pages<MessageShape<Desc>>): Promise<void> {
    const rows = mapPages(pages, (message) => rowFromMessage(view.schema, message));
    await this.#showRows(view, listRowFields(view.schema), { pages: rows });
  }

  /** Writes resources to stdout as they arrive. Each resource has a cursor from which the stream can continue after that resource. */
  async showStream<Desc extends DescMessage>(
    view: ResourceView<Desc>,
    messages: AsyncIterable<{ readonly message: MessageShape<Desc>; readonly cursor: string }>,
  ): Promise<void> {
    const pages = mapPages(singlePages(messages), ({ message, cursor }) => ({
      ...rowFromMessage(view.schema, message),
      cursor,
    }));
    await this.#showRows(view, [...listRowFields(view.schema), { name: "cursor" }], { pages, isEndless: true });
  }

  /**
   * Writes rows that are not resources of the API to stdout as they arrive.
   *
   * @param fields the names of the rows' fields, in order.
   */
  async showRowStream(view: RowView, fields: readonly string[], rows: AsyncIterable<OutputRow>): Promise<void> {
    const shown = fields.map((name) => ({ name }));
    await this.#showRows(view, shown, { pages: singlePages(rows), isEndless: true });
  }

  async #showRows(
    { expendable = [], ...view }: RowView,
    shown: readonly { readonly name: string }[],
    { pages, ...list }: Pick<RowList, "pages" | "isEndless">,
  ): Promise<void> {
    const isTable = this.options.output === "table";
    const fields = shown.map(({ name }) => name);
    const columns = (isTable && view.columns) || fields;
    const rows = mapPages(pages, (row) => (isTable ? withCells(row, view.cells) : row));
    const known = [...new Set([...columns, ...fields])];
    await writeRows(this.host, this.options, { ...list, columns, expendable, pages: rows }, known);
  }

  /**
   * Writes a result that contains a list. The table format shows the list as a table with text around it, CSV only the list, and other
   * formats the whole message.
   */
  async showReport<Desc extends DescMessage, Item extends DescMessage>(report: Report<Desc, Item>): Promise<void> {
    const { output } = this.options;
    const { facts, items, warnings = [], remarks = [] } = report;
    const showItems = () => this.showList(report.itemView, [[...items]]);
    if (output === "csv") return await showItems();
    if (output !== "table") return await this.show(report.view, report.message);
    const parts = [
      facts && (() => writeRow(this.host, { ...this.options, columns: undefined }, facts)),
      warnings.length > 0 && (() => this.#showLines(warnings)),
      items.length > 0 && showItems,
      remarks.length > 0 && (() => this.#showLines(remarks)),
    ].filter((part) => typeof part === "function");
    for (const [index, show] of parts.entries()) {
      if (index > 0) await this.#showLines([""]);
      await show();
    }
  }

  async #showLines(lines: readonly string[]): Promise<void> {
    await writeText(
      this.host.stdout,
      lines.map((line) => `${escapeForTerminal(line)}\n`),
    );
  }

  /** Closes the connection, so that the process can exit. */
  close(): void {
    this.#connection.close();
  }
}

async function* singlePages<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item[]> {
  for await (const item of items) yield [item];
}

async function* mapPages<Item, Result>(pages: Pages<Item>, map: (item: Item) => Result): AsyncGenerator<Result[]> {
  for await (const items of pages) yield items.map(map);
}

function withCells(row: OutputRow, cells: TableCellSources = {}): OutputRow {
  const cellOf = (cell: TableCellSources[string]) => (typeof cell === "string" ? (row[cell] ?? null) : cell(row));
  return { ...row, ...Object.fromEntries(Object.entries(cells).map(([name, cell]) => [name, cellOf(cell)])) };
}
