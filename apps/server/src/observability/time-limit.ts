/**
 * The result of a promise that settles in time.
 *
 * @throws the error of `onTimeout` otherwise.
 */
export function withTimeLimit<T>(promise: Promise<T>, limitMs: number, onTimeout: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(onTimeout()), limitMs);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
