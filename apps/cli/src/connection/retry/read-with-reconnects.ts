import { setTimeout as sleep } from "node:timers/promises";
import { ErrorInfoSchema } from "@calltrack/domain/gen/google/rpc/error_details_pb";
import { Code, ConnectError } from "@connectrpc/connect";
import { isUnreachableError, isUntrustedCertificateError } from "../unreachable-error.js";
import { computeRetryDelayMs } from "./retry-delay.js";
import { isTemporaryError } from "./retryable.js";
import { WAIT_NOTICE_DELAY_MS } from "./wait-notice-interceptor.js";

/** A stream without an end that can be reopened after any message, and the limits for reopening it. */
export interface ReopenableStream<Message> {
  /** Opens the stream after the message `last`, or at its start if `last` is undefined. The signal cancels the stream. */
  readonly open: (last: Message | undefined, signal: AbortSignal) => AsyncIterable<Message>;
  /** The stream ends when this signal aborts. */
  readonly stop: AbortSignal;
  /** Maximum number of retries before the first message. After the first message, retries are unlimited. */
  readonly retries: number;
  /** Time without a message after which the connection counts as lost. */
  readonly silenceMs: number;
  /** Called once for each outage that lasts longer than {@link WAIT_NOTICE_DELAY_MS}. */
  readonly onOutage: (error: ConnectError) => void;
}

/**
 * Yields the messages of a stream. Whenever the stream breaks or ends, reopens it after the last message. Ends when `stop` aborts, and throws
 * errors that a retry cannot fix.
 */
export async function* readWithReconnects<Message>(stream: ReopenableStream<Message>): AsyncGenerator<Message, void> {
  const { stop, onOutage } = stream;
  let last: Message | undefined;
  let notice: NodeJS.Timeout | undefined;
  let failure = STREAM_ENDED;
  try {
    for (let tries = 1; !stop.aborted; tries++) {
      let count = 0;
      try {
        for await (const message of readOnce(stream, last)) {
          clearTimeout(notice);
          notice = undefined;
          // Only a second message shows that the stream recovered: even a server that breaks each stream sends a first one.
          if (++count > 1) tries = 1;
          last = message;
          yield message;
        }
        failure = STREAM_ENDED;
      } catch (thrown) {
        failure = ConnectError.from(thrown);
        const mayRetry =
          last === undefined ? tries <= stream.retries && isTemporaryError(failure, false) : isBreak(failure, count);
        if (!stop.aborted && !mayRetry) throw thrown;
      }
      notice ??= setTimeout(() => onOutage(failure), WAIT_NOTICE_DELAY_MS);
      await sleep(computeRetryDelayMs(failure, tries), undefined, { signal: stop }).catch(() => {});
    }
  } finally {
    clearTimeout(notice);
  }
}

const STREAM_ENDED = new ConnectError("the stream ended", Code.Unavailable);

/** Yields the messages of one connection. Throws if no message arrives for `silenceMs`. */
async function* readOnce<Message>(
  { open, stop, silenceMs }: ReopenableStream<Message>,
  last: Message | undefined,
): AsyncGenerator<Message, void> {
  const connection = new AbortController();
  const silence = new ConnectError(`nothing received for ${silenceMs / 1000} s`, Code.Unavailable);
  let isSilent = false;
  const onSilence = () => {
    isSilent = true;
    connection.abort(silence);
  };
  const messages = open(last, AbortSignal.any([stop, connection.signal]))[Symbol.asyncIterator]();
  try {
    for (;;) {
      // The timer runs only while waiting for a message: a slow reader of the output is not silence.
      const timer = setTimeout(onSilence, silenceMs);
      const next = await messages.next().finally(() => clearTimeout(timer));
      if (next.done) return;
      yield next.value;
    }
  } catch (error) {
    throw isSilent ? silence : error;
  } finally {
    connection.abort();
  }
}

/**
 * Reports whether an error means that the connection broke, or that the service is not ready yet.
 *
 * @param count number of messages that the connection delivered. The service's own errors have details, so after a message, an error without
 * details comes from the connection.
 */
function isBreak(error: ConnectError, count: number): boolean {
  if (isUntrustedCertificateError(error)) return false;
  const isForeign = count > 0 && error.findDetails(ErrorInfoSchema).length === 0;
  return isForeign || isUnreachableError(error) || isTemporaryError(error, true);
}
