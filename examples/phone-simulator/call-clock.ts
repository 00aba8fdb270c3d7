/** The time of one simulated call. */
export interface CallClock {
  now(): Date;
  sleep(seconds: number): Promise<void>;
}

/** The real time: a call takes as long as a real one. */
export function realClock(): CallClock {
  return {
    now: () => new Date(),
    sleep: (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000)),
  };
}

/** The time of a call that does not wait: it only counts. The time in which the server answers is real. */
export function skippingClock(start: Date): CallClock {
  let aheadMs = start.getTime() - Date.now();
  return {
    now: () => new Date(Date.now() + aheadMs),
    async sleep(seconds) {
      aheadMs += seconds * 1000;
    },
  };
}
