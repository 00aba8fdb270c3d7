export interface CallClock {
  now(): Date;
  sleep(seconds: number): Promise<void>;
}

/** Creates a clock in real time: a call takes as long as a real call. */
export function createRealClock(): CallClock {
  return {
    now: () => new Date(),
    sleep: (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000)),
  };
}

/** Creates a clock that does not wait: `sleep` moves it forward. The server's response times still pass in real time. */
export function createSkippingClock(start: Date): CallClock {
  let aheadMs = start.getTime() - Date.now();
  return {
    now: () => new Date(Date.now() + aheadMs),
    async sleep(seconds) {
      aheadMs += seconds * 1000;
    },
  };
}
