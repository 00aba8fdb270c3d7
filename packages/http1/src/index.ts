export { FixedAnswer } from "./fixed-answer.js";
export { Http1Connection, type Http1Options, type WholeRequestHandler } from "./http1-connection.js";
export type { AnswerHeaders } from "./response-head.js";
export type { WholeRequest } from "./whole-request.js";
