import { createHash } from "node:crypto";
import { createSocket, type RemoteInfo } from "node:dgram";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

/** The simulated SIP phones of a shop, all on one UDP port of 127.0.0.1. Disposing of the phones closes the port. */
export interface SipPhones extends AsyncDisposable {
  readonly port: number;
  /** All received requests in order. A repeated copy of a request is not included. */
  readonly requests: ReadonlySet<string>;
  /**
   * Returns the number of the phone that receives a request. For a request within a call, the tag of the To header identifies the phone. Undefined if
   * the text is not a SIP request.
   */
  numberOf(request: string): string | undefined;
}

/** How often a phone repeats its ringing response. */
const REPEAT_RINGING_MS = 3000;

/** How long a phone whose number ends in 82 rings before it answers. */
const RINGING_MS = 1000;

/**
 * Starts phones. The last digits of a phone's number determine its behavior:
 *
 * - 82 rings for a second, and then answers.
 * - 83 declines.
 * - 84 rings, and answers at the moment the call is canceled.
 * - 85 redirects calls.
 * - 86 is busy.
 * - 87 rings until the call is canceled.
 * - 88 does not respond.
 * - All others answer.
 *
 * A repeated request gets its response again (RFC 3261, section 17.2), however long the first response took. Without a repeated request, the phones
 * do not repeat final responses, because no packets get lost on one machine.
 */
export async function startSipPhones(): Promise<SipPhones> {
  const socket = createSocket("udp4");
  const requests = new Set<string>();
  const numbers = new Map<string, string>();
  /** The INVITE of each ringing phone, keyed by transaction. */
  const ringing = new Map<string, { readonly invite: string; readonly timer: NodeJS.Timeout }>();

  function respond(request: string, status: string, to: RemoteInfo): void {
    socket.send(createResponse(request, status, socket.address()), to.port, to.address);
  }

  function ring(invite: string, user: string, from: RemoteInfo): void {
    for (const status of listStatuses(user)) respond(invite, status, from);
    const transaction = readTransaction(invite);
    numbers.set(tagOf(transaction), user);
    if (ringing.has(transaction)) return;
    if (/8[47]$/.test(user)) {
      const timer = setInterval(() => respond(invite, "180 Ringing", from), REPEAT_RINGING_MS);
      ringing.set(transaction, { invite, timer });
    }
    if (user.endsWith("82")) {
      const timer = setTimeout(() => {
        ringing.delete(transaction);
        respond(invite, "200 OK", from);
      }, RINGING_MS);
      ringing.set(transaction, { invite, timer });
    }
  }

  function cancel(request: string, user: string, from: RemoteInfo): void {
    respond(request, "200 OK", from);
    const call = ringing.get(readTransaction(request));
    if (call === undefined) return;
    clearInterval(call.timer);
    respond(call.invite, user.endsWith("84") ? "200 OK" : "487 Request Terminated", from);
  }

  socket.on("message", (bytes, from) => {
    const request = bytes.toString();
    const [, method, user] = /^([A-Z]+) sip:([^@]+)@/.exec(request) ?? [];
    if (method === undefined || user === undefined) return;
    requests.add(request);
    if (method === "INVITE") ring(request, user, from);
    else if (method === "CANCEL") cancel(request, user, from);
    else if (method !== "ACK") respond(request, "200 OK", from);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    port: socket.address().port,
    requests,
    numberOf: (request) =>
      numbers.get(/^To: .*;tag=([^;\r]+)/m.exec(request)?.[1] ?? "") ?? /^[A-Z]+ sip:([^@]+)@/.exec(request)?.[1],
    async [Symbol.asyncDispose]() {
      for (const { timer } of ringing.values()) clearInterval(timer);
      socket.close();
      await once(socket, "close");
    },
  };
}

function listStatuses(user: string): readonly string[] {
  if (user.endsWith("83")) return ["603 Decline"];
  if (user.endsWith("85")) return ["302 Moved Temporarily"];
  if (user.endsWith("86")) return ["486 Busy Here"];
  if (user.endsWith("88")) return [];
  return /8[247]$/.test(user) ? ["180 Ringing"] : ["180 Ringing", "200 OK"];
}

function createResponse(request: string, status: string, { address, port }: AddressInfo): string {
  const lines = request.split("\r\n");
  const copied = lines.filter((line) => /^(?:Via|Record-Route|From|Call-ID|CSeq):/i.test(line));
  const to = lines.find((line) => /^To:/i.test(line)) ?? "";
  // The Contact header of a redirect names another phone.
  const user = status.startsWith("302") ? "+2327900001" : "shop";
  const contact = `Contact: <sip:${user}@${address}:${port}>`;
  const tag = to.includes("tag=") ? "" : `;tag=${tagOf(readTransaction(request))}`;
  return [`SIP/2.0 ${status}`, ...copied, `${to}${tag}`, contact, "Content-Length: 0", "", ""].join("\r\n");
}

/** Returns the tag for the To header of responses. The tag distinguishes the phones that ring for one call. */
function tagOf(transaction: string): string {
  return `shop${createHash("sha256").update(transaction).digest("hex")}`;
}

/** Returns the branch of the topmost Via, which an INVITE shares with its CANCEL. */
function readTransaction(request: string): string {
  return /^Via: .*branch=([^;\r]+)/im.exec(request)?.[1] ?? "";
}
