/**
 * Returns a function that creates another one when it is first called, and then always calls that one. The decoders and encoders of a server's methods
 * would otherwise take a twentieth of its start, and a client uses few of them.
 */
export function createOnFirstCall<A extends unknown[], R>(create: () => (...args: A) => R): (...args: A) => R {
  let created: ((...args: A) => R) | undefined;
  return (...args) => {
    created ??= create();
    return created(...args);
  };
}
