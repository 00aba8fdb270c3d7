import { createSignatureHeaders, type PhoneProvider, type SigningSecret } from "./signatures.ts";

export interface WebhookResponse {
  readonly status: number;
  readonly text: string;
}

/** Sends the requests of a phone provider to Calltrack's webhooks. */
export interface ProviderNetwork {
  /** Posts a form, and returns the response, on which the call depends; undefined if the server did not respond in time. */
  ask(url: string, form: URLSearchParams): Promise<WebhookResponse | undefined>;
  /** Posts a form in the background. The form may arrive late or twice. */
  tell(url: string, form: URLSearchParams): void;
  /** Resolves when each form passed to `tell` was accepted, or was given up after its last attempt. */
  settle(): Promise<void>;
}

export interface ProviderNetworkFaults {
  readonly random: () => number;
  /** The fraction of requests that are sent twice. */
  readonly doubled: number;
  /** The fraction of background requests that wait until `settle`, and then arrive in any order. */
  readonly late: number;
}

/** How long a provider waits for a response, as documented by Twilio. */
const TIMEOUT_MS = 15_000;

/** Maximum number of attempts to send a request: `#rc=3` in the URLs for Twilio sets three retries. */
const ATTEMPTS = 4;

/** Creates a network that signs each posted form, retries failed requests, and injects the given faults. */
export function createProviderNetwork(
  provider: PhoneProvider,
  secret: SigningSecret,
  faults?: ProviderNetworkFaults,
): ProviderNetwork {
  const running = new Set<Promise<void>>();
  const late: (() => void)[] = [];

  async function ask(url: string, form: URLSearchParams): Promise<WebhookResponse | undefined> {
    try {
      const response = await fetch(url.split("#", 1)[0] as string, {
        method: "POST",
        body: form,
        headers: createSignatureHeaders(provider, secret, url, form),
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
    console.error(`gave up after ${ATTEMPTS} attempts: ${url}`);
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
