import type { IncomingHttpHeaders } from "node:http2";
import type { Http2Stream } from "@calltrack/http2";
import type { GrpcReceiver, GrpcStream } from "@calltrack/transcoding/rpc";
import { Code } from "@connectrpc/connect";
import type { Outcome } from "../../observability/requests/outcome.js";
import { REQUEST_ID_HEADER } from "../../observability/requests/request-id.js";
import { type RequestExpiry, RequestRecord, setRecord } from "../../observability/requests/request-record.js";
import { DEADLINE_EXCEEDED } from "./deadline-exceeded.js";
import type { RequestObserver } from "./request-observer.js";

type StreamHandler = (stream: GrpcStream) => boolean;

/** A stream of `@calltrack/http2`. */
type WatchedStream = GrpcStream & Pick<Http2Stream, "progress">;

/** As `observeRequests`, for the calls of gRPC that are taken as streams of HTTP/2. */
export function observeGrpcStreams(
  observer: RequestObserver,
  handle: StreamHandler,
): (stream: WatchedStream) => boolean {
  return (stream) => {
    if (!stream.headers["content-type"]?.startsWith("application/grpc")) return false;
    const record = new RequestRecord(stream);
    const observed = new ObservedGrpcStream(stream, record, observer);
    const isTaken = observer.serve(record, () => handle(observed));
    // What is not comes again as a request. What is may have ended already, which comes to the same.
    if (isTaken) observer.begin(record, observed);
    return isTaken;
  };
}

/** Adds the request's id to what is sent, and sees how the call ends. */
class ObservedGrpcStream implements GrpcStream, GrpcReceiver, RequestExpiry {
  readonly headers: IncomingHttpHeaders;
  /** What it was made of. */
  readonly stream: WatchedStream;
  readonly #record: RequestRecord;
  readonly #observer: RequestObserver;
  #receiver: GrpcReceiver | undefined;
  #outcome: Outcome = Code.Canceled;
  #hasEnded = false;

  constructor(stream: WatchedStream, record: RequestRecord, observer: RequestObserver) {
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

  progressOf(): number | undefined {
    return this.stream.progress;
  }

  expire(): void {
    DEADLINE_EXCEEDED.answerGrpc(this);
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
