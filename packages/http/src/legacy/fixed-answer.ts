import type { HttpHeaders as AnswerHeaders } from "../exchange.js";
import { formatHead } from "../http1/response-head.js";

/** An answer that is the same each time, and so without a date. */
export class FixedAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: string;
  /** As it is sent. */
  readonly text: string;

  /**
   * @param body of ASCII.
   * @throws TypeError for headers that cannot be sent.
   */
  constructor(status: number, headers: AnswerHeaders, body: string) {
    this.status = status;
    this.headers = headers;
    this.body = body;
    this.text = `${formatHead(status, headers)}content-length: ${body.length}\r\n\r\n${body}`;
  }
}
