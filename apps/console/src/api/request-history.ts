import type { DescMethod, Message } from "@bufbuild/protobuf";
import { signal } from "@preact/signals";

/** A request that the console sent. */
export interface SentRequest {
  readonly method: DescMethod;
  readonly message: Message;
}

const MAX_REQUESTS = 30;

/** The last request of each method, newest first, to show the commands that do the same. */
export const sentRequests = signal<readonly SentRequest[]>([]);

/** Records a request. Repeats of the latest request, such as those of a live page, change nothing. */
export function recordRequest(method: DescMethod, message: Message): void {
  const others = sentRequests.peek().filter((each) => each.method !== method);
  sentRequests.value = [{ method, message }, ...others].slice(0, MAX_REQUESTS);
}
