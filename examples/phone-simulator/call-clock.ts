export interface CallClock {
  now(): Date;
  sleep(seconds: number): Promise<void>;
}

/** Creates a clock that runs in real time: a simulated call takes as long as a real call. */
export function createRealClock(): CallClock {
  return {
    now: () => new Date(),
    sleep: (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000)),
  };
}

/**
 * Creates a clock without waits: `sleep` moves the clock forward and returns immediately. In addition, the clock runs in real time, for example while
 * the server responds.
 */
export function createSimulatedClock(start: Date): CallClock {
  let aheadMs = start.getTime() - Date.now();
  return {
    now: () => new Date(Date.now() + aheadMs),
    async sleep(seconds) {
      aheadMs += seconds * 1000;
    },
  };
}
