import { randomUUID } from "node:crypto";
import { createSocket } from "node:dgram";
import { on, once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";

/** The interval at which a request without a response is repeated (timer T1 of RFC 3261). The time limit is timer F. */
const REPEAT_MS = 500;
const TIMEOUT_MS = 64 * REPEAT_MS;

/**
 * Sends a request to a port on 127.0.0.1, and repeats it until a response arrives. Resolves with the status of the final response. Rejects if no
 * final response arrives within 32 seconds.
 *
 * @param lateMs simulates a delayed copy: sends the request again this long after the final response, and resolves with the status of the response to
 *   the copy.
 */
export async function sendSipRequest(
  port: number,
  method: string,
  uri: string,
  headers: readonly string[],
  lateMs = 0,
): Promise<number> {
  const socket = createSocket("udp4").bind(0, "127.0.0.1");
  await once(socket, "listening");
  const own = `127.0.0.1:${socket.address().port}`;
  const lines = [
    ...[
      `${method} ${uri} SIP/2.0`,
      `Via: SIP/2.0/UDP ${own};branch=z9hG4bK${randomUUID()}`,
      ...headers,
      `To: <${uri}>`,
    ],
    ...[`Call-ID: ${randomUUID()}`, `CSeq: 1 ${method}`, `Contact: <sip:caller@${own}>`, "Max-Forwards: 70"],
  ];
  const send = () => socket.send([...lines, "Content-Length: 0", "", ""].join("\r\n"), port, "127.0.0.1");
  send();
  const repeat = setInterval(send, REPEAT_MS);
  let isLate = lateMs === 0;
  try {
    for await (const [response] of on(socket, "message", { signal: AbortSignal.timeout(TIMEOUT_MS) })) {
      clearInterval(repeat);
      const status = Number(/^SIP\/2\.0 (\d{3})/.exec(String(response))?.[1]);
      if (status < 200) continue;
      if (isLate) return status;
      isLate = true;
      await pause(lateMs);
      send();
    }
    throw new Error("the socket closed before the response");
  } finally {
    clearInterval(repeat);
    socket.close();
  }
}
