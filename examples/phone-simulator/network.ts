import { type Provider, type Secret, signatureHeaders } from "./signatures.ts";

/** A response of the server: its status and text. */
export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Delivers the requests of a provider. */
export interface Network {
  /** Posts a form whose answer the call needs. Undefined if the server was not reached in time. */
  ask(url: string, form: URLSearchParams): Promise<Answer | undefined>;
  /** Posts a form whose answer nobody waits for. It can be repeated, or arrive late. */
  tell(url: string, form: URLSearchParams): void;
  /** Resolves when everything told has been accepted or given up. */
  settle(): Promise<void>;
}

/** How a network treats what is told. */
export interface NetworkFaults {
  /** Returns a number from 0 to 1, as Math.random does. */
  readonly random: () => number;
  /** The share of requests that are sent twice. */
  readonly doubled: number;
  /** The share of requests that wait until `settle`, and then arrive in any order. */
  readonly late: number;
}

/** How long a provider waits for an answer (Twilio: 15 seconds). */
const TIMEOUT_MS = 15_000;

/** Times that a request is sent until it is accepted; `#rc=3` in Twilio's URLs. */
const ATTEMPTS = 4;

/** Creates the network of a provider: signed form posts, retries of failed ones, and the given faults. */
export function createNetwork(provider: Provider, secret: Secret, faults?: NetworkFaults): Network {
  const running = new Set<Promise<void>>();
  const late: (() => void)[] = [];

  async function ask(url: string, form: URLSearchParams): Promise<Answer | undefined> {
    try {
      const response = await fetch(url.split("#", 1)[0] as string, {
        method: "POST",
        body: form,
        headers: signatureHeaders(provider, secret, url, form),
        redirect: "manual",
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      return { status: response.status, text: await response.text() };
    } catch {
      return undefined;
    }
  }

  async function deliver(url: string, form: URLSearchParams): Promise<void> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const answer = await ask(url, form);
      if (answer !== undefined && answer.status < 500) return;
      await new Promise((resolve) => setTimeout(resolve, 250 * 2 ** attempt));
    }
    console.error(`gave up: ${url}`);
  }

  function start(url: string, form: URLSearchParams): void {
    const delivery = deliver(url, form);
    running.add(delivery);
    delivery.finally(() => running.delete(delivery));
  }

  return {
    async ask(url, form) {
      const answer = await ask(url, form);
      if (faults !== undefined && faults.random() < faults.doubled) return (await ask(url, form)) ?? answer;
      return answer;
    },
    tell(url, form) {
      const isLate = faults !== undefined && faults.random() < faults.late;
      const times = faults !== undefined && faults.random() < faults.doubled ? 2 : 1;
      for (let time = 0; time < times; time++) {
        if (isLate) late.push(() => start(url, form));
        else start(url, form);
      }
    },
    async settle() {
      const waiting = late.splice(0);
      while (waiting.length > 0) {
        const [next] = waiting.splice(Math.floor((faults?.random() ?? 0) * waiting.length), 1);
        next?.();
        if (running.size >= 32) await Promise.race(running);
      }
      while (running.size > 0) await Promise.all(running);
    },
  };
}
