/**
 * What a promise gives, if it does in time.
 *
 * @throws what `onTimeout` makes, if not.
 */
export function withTimeLimit<T>(promise: Promise<T>, limitMs: number, onTimeout: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(onTimeout()), limitMs);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
