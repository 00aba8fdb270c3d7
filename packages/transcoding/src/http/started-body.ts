/**
 * Creates a body whose first chunk was read before its head is sent. Returning early does not wait for a pending chunk, as that
 * of an async generator would, because a handler may ignore the signal.
 *
 * @param next reads a further chunk.
 * @param close ends the source; called when the body is returned early.
 */
export function createStartedBody<T>(
  first: IteratorResult<T, undefined>,
  next: () => Promise<IteratorResult<T, undefined>>,
  close: () => void,
): AsyncIterableIterator<T, undefined> {
  let ahead: IteratorResult<T, undefined> | undefined = first;
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      const chunk = ahead;
      ahead = undefined;
      return chunk ?? next();
    },
    async return() {
      ahead = undefined;
      close();
      return { done: true, value: undefined };
    },
  };
}
