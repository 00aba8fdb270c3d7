import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the root span of a trace. */
  readonly parentSpanId: string;
  readonly traceState: string;
  readonly name: string;
  /** The OTLP span kind: 2 is server, 3 is client. */
  readonly kind: number;
  readonly isError: boolean;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** The attributes of the resource, which describe the service. */
  readonly resource: Readonly<Record<string, string | number | boolean>>;
}

/** A minimal OpenTelemetry collector that stores traces in memory. Disposing of the collector stops its HTTP server. */
export interface OtlpReceiver extends AsyncDisposable {
  /** The value for OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** The bytes of all requests received so far, as Latin-1 text. */
  readonly text: string;
}

/** Starts a receiver of OTLP over HTTP with protobuf. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  let text = "";
  const server = createServer(async (request, response) => {
    const sent = await buffer(request);
    const body = request.headers["content-encoding"] === "gzip" ? gunzipSync(sent) : sent;
    text += body.toString("latin1");
    if (request.url === "/v1/traces") spans.push(...readRequest(body));
    response.writeHead(200, { "content-type": "application/x-protobuf" }).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    get text() {
      return text;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

// The functions read OTLP messages with the field numbers from https://github.com/open-telemetry/opentelemetry-proto

function readRequest(bytes: Uint8Array): ReceivedSpan[] {
  return new Fields(bytes).messages(1).flatMap((resourceSpans) => {
    const resource = readAttributes(resourceSpans.messages(1)[0]?.messages(1) ?? []);
    const spans = resourceSpans.messages(2).flatMap((scopeSpans) => scopeSpans.messages(2));
    return spans.map((span) => ({
      traceId: span.bytes(1).toString("hex"),
      spanId: span.bytes(2).toString("hex"),
      traceState: span.bytes(3).toString(),
      parentSpanId: span.bytes(4).toString("hex"),
      name: span.bytes(5).toString(),
      kind: span.number(6),
      isError: span.messages(15)[0]?.number(3) === 2,
      attributes: readAttributes(span.messages(9)),
      resource,
    }));
  });
}

function readAttributes(pairs: readonly Fields[]): Record<string, string | number | boolean> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const value = pair.messages(2)[0];
      if (value?.has(3)) return [pair.bytes(1).toString(), value.number(3)];
      if (value?.has(2)) return [pair.bytes(1).toString(), value.number(2) === 1];
      return [pair.bytes(1).toString(), value?.bytes(1).toString() ?? ""];
    }),
  );
}

/** The fields of a protobuf message, keyed by field number. */
class Fields {
  readonly #values = new Map<number, (Uint8Array | number)[]>();

  constructor(bytes: Uint8Array) {
    const reader = new BinaryReader(bytes);
    while (reader.pos < reader.len) {
      const [number, type] = reader.tag();
      const values = this.#values.get(number) ?? [];
      this.#values.set(number, values);
      if (type === WireType.LengthDelimited) values.push(reader.bytes());
      else if (type === WireType.Varint) values.push(Number(reader.int64()));
      else reader.skip(type, number);
    }
  }

  has(number: number): boolean {
    return this.#values.has(number);
  }

  number(number: number): number {
    return Number(this.#values.get(number)?.[0] ?? 0);
  }

  bytes(number: number): Buffer {
    return Buffer.from((this.#values.get(number)?.[0] as Uint8Array | undefined) ?? []);
  }

  messages(number: number): Fields[] {
    return (this.#values.get(number) ?? []).map((bytes) => new Fields(bytes as Uint8Array));
  }
}
