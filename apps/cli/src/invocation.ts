import type { DescMessage, DescService, MessageShape } from "@bufbuild/protobuf";
import { type CallOptions, type Client, createClient } from "@connectrpc/connect";
import { type Connection, openConnection } from "./connection.js";
import type { GlobalOptions } from "./global-options.js";
import type { Host } from "./host.js";
import { createOutputFormat } from "./output/create-output-format.js";
import type { OutputFormat } from "./output/output-format.js";
import { writeText } from "./output/write-text.js";
import { createRequestLog } from "./request-log.js";
import { type Row, rowFromMessage } from "./resource-row.js";
import type { ResourceView } from "./resource-view.js";

/** One run of a command: its way to the service and its way to the user. */
export class Invocation {
  /** What each request of an ordinary command is sent with: it is dropped at the first interrupt. */
  readonly call: CallOptions;
  readonly #connection: Connection;
  readonly #format: OutputFormat;

  constructor(
    readonly host: Host,
    readonly options: GlobalOptions,
  ) {
    const interceptors = options.verbose ? [createRequestLog((line) => host.stderr.write(line))] : [];
    this.call = { signal: host.interrupt.stop };
    this.#connection = openConnection({ ...options, interceptors });
    this.#format = createOutputFormat(options.output, host);
  }

  /** The stub of one of the service's services. */
  client<Service extends DescService>(service: Service): Client<Service> {
    return createClient(service, this.#connection.transport);
  }

  /** Writes one resource to stdout. */
  async show<Desc extends DescMessage>(view: ResourceView<Desc>, message: MessageShape<Desc>): Promise<void> {
    await this.showRow(rowFromMessage(view.schema, message));
  }

  /** Writes one result that is no resource of the service to stdout. */
  async showRow(row: Row): Promise<void> {
    await writeText(this.host.stdout, [this.#format.one(row)]);
  }

  /** Writes a list of resources to stdout, each page as it comes where the format can. */
  async showList<Desc extends DescMessage>(
    { schema, expendable }: ResourceView<Desc>,
    pages: AsyncIterable<MessageShape<Desc>[]>,
  ): Promise<void> {
    const columns = schema.fields.map((field) => field.name);
    await writeText(this.host.stdout, this.#format.list({ columns, expendable, pages: toRows(schema, pages) }));
  }

  /** Lets go of the connection, so that the process can end. */
  close(): void {
    this.#connection.close();
  }
}

async function* toRows<Desc extends DescMessage>(
  schema: Desc,
  pages: AsyncIterable<MessageShape<Desc>[]>,
): AsyncGenerator<Row[]> {
  for await (const messages of pages) yield messages.map((message) => rowFromMessage(schema, message));
}
