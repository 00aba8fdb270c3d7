export { createFetchHandler, type FetchHandlerOptions } from "./runtimes/fetch-handler.js";
export { createWebContentCodings } from "./runtimes/web-content-coding.js";
