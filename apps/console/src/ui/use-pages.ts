import { useState } from "preact/hooks";

/** A position in a list of the API, which gives the token of each next page. */
export interface Pages {
  /** The token of the current page; empty for the first. */
  readonly token: string;
  /** The number of the current page, from 1. */
  readonly page: number;
  next(token: string): void;
  back(): void;
}

/**
 * Keeps the position in a list.
 *
 * @param key identifies the list and its filters. If it changes, the position is the first page again.
 */
export function usePages(key: string): Pages {
  const [state, setState] = useState<{ readonly key: string; readonly tokens: readonly string[] }>({ key, tokens: [] });
  const tokens = state.key === key ? state.tokens : [];
  return {
    token: tokens.at(-1) ?? "",
    page: tokens.length + 1,
    next: (token) => setState({ key, tokens: [...tokens, token] }),
    back: () => setState({ key, tokens: tokens.slice(0, -1) }),
  };
}
