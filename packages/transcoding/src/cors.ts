/** Which pages of other origins may call (the CORS protocol of the Fetch standard). */
export interface CorsOptions {
  /** The allowed origins, such as `https://example.com`; `*` for all. */
  readonly origins: "*" | readonly string[] | ((origin: string) => boolean);
  /** The request headers that a page may send. Default: those it asks for. */
  readonly allowHeaders?: readonly string[];
  /** The response headers that a page may read beyond the safelisted ones. Default: none. */
  readonly exposeHeaders?: readonly string[];
  /** How long a browser may keep the answer to a preflight. Default: the browser's own choice. */
  readonly maxAgeSeconds?: number;
  /** Whether cookies and HTTP authentication are allowed; not together with origins `*`. Default: false. */
  readonly credentials?: boolean;
}
