/**
 * Returns the result of a promise if it settles within `limitMs`.
 *
 * @throws the error that `onTimeout` returns if it does not.
 */
export function withTimeout<T>(promise: Promise<T>, limitMs: number, onTimeout: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(onTimeout()), limitMs);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
