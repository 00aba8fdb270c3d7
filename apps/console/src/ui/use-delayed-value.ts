import { useEffect, useState } from "preact/hooks";

/** Debounces a value: returns the last value that stayed the same for `delayMs`. So a moving slider causes few requests. */
export function useDelayedValue<T>(value: T, delayMs: number): T {
  const [delayed, setDelayed] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(value), delayMs);
    return () => clearTimeout(timer);
  }, [value, delayMs]);
  return delayed;
}
