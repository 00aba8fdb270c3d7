import type { IncomingHttpHeaders } from "node:http2";
import type { GrpcReceiver, GrpcStream } from "@calltrack/transcoding";
import { Code } from "@connectrpc/connect";
import type { Outcome } from "./outcome.js";
import { REQUEST_ID_HEADER } from "./request-id.js";
import type { RequestObserver } from "./request-observer.js";
import { RequestRecord, setRecord } from "./request-record.js";

type StreamHandler = (stream: GrpcStream) => boolean;

/** As `observeRequests`, for the calls of gRPC that are taken as streams of HTTP/2. */
export function observeGrpcStreams(observer: RequestObserver, handle: StreamHandler): StreamHandler {
  return (stream) => {
    if (!stream.headers["content-type"]?.startsWith("application/grpc")) return false;
    const record = new RequestRecord(stream);
    const isTaken = observer.serve(record, () => handle(new ObservedGrpcStream(stream, record, observer)));
    // What is not comes again as a request. What is may have ended already, which comes to the same.
    if (isTaken) observer.begin();
    return isTaken;
  };
}

/** Adds the request's id to what is sent, and sees how the call ends. */
class ObservedGrpcStream implements GrpcStream, GrpcReceiver {
  readonly headers: IncomingHttpHeaders;
  /** What it was made of. */
  readonly stream: GrpcStream;
  readonly #record: RequestRecord;
  readonly #observer: RequestObserver;
  #receiver: GrpcReceiver | undefined;
  #outcome: Outcome = Code.Canceled;
  #hasEnded = false;

  constructor(stream: GrpcStream, record: RequestRecord, observer: RequestObserver) {
    this.headers = stream.headers;
    this.stream = stream;
    this.#record = record;
    this.#observer = observer;
    setRecord(this, record);
  }

  get isClosed(): boolean {
    return this.stream.isClosed;
  }

  receive(receiver: GrpcReceiver): void {
    this.#receiver = receiver;
    this.stream.receive(this);
  }

  consume(bytes: number): void {
    this.stream.consume(bytes);
  }

  answer(
    headers: readonly string[],
    body: Uint8Array,
    trailers: readonly string[],
    ownHeaders: readonly string[] = [],
  ): void {
    this.#outcome = readOutcome(trailers);
    this.stream.answer(headers, body, trailers, [REQUEST_ID_HEADER, this.#record.id, ...ownHeaders]);
    this.#end();
  }

  sendHeaders(headers: readonly string[], endStream: true): void {
    this.#outcome = readOutcome(headers);
    this.stream.sendHeaders([...headers, REQUEST_ID_HEADER, this.#record.id], endStream);
    this.#end();
  }

  reset(code: number): void {
    this.#outcome = Code.Internal;
    this.stream.reset(code);
    this.#end();
  }

  onData(chunk: Buffer): void {
    this.#receiver?.onData(chunk);
  }

  onEnd(): void {
    this.#receiver?.onEnd();
  }

  onClose(): void {
    this.#receiver?.onClose();
    this.#end();
  }

  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#observer.end(this.#record, this.#outcome);
  }
}

/** What the trailers of a call say that it came to. */
function readOutcome(fields: readonly string[]): Outcome {
  return Number(fields[fields.indexOf("grpc-status") + 1]);
}
