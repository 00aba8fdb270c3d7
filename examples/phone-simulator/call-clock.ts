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

/** The time of a call that does not wait: it only counts. */
export function skippingClock(start: Date): CallClock {
  let ms = start.getTime();
  return {
    now: () => new Date(ms),
    async sleep(seconds) {
      ms += seconds * 1000;
    },
  };
}
