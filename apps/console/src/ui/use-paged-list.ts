import { useState } from "preact/hooks";
import { type Loaded, type LoadOptions, useLoad } from "../api/use-load";

/** The loaded page of a list, and its place. */
export interface PagedList<P> extends Loaded<P> {
  /** The number of the page, from 1. */
  readonly page: number;
  next(token: string): void;
  back(): void;
}

/**
 * Loads a list of the API page by page; each page has the token of the next.
 *
 * @param key identifies the list and its filters. If it changes, the position is the first page again.
 * @param load loads the page of a token, the first one without.
 */
export function usePagedList<P>(
  key: string,
  load: (pageToken: string | undefined, signal: AbortSignal) => Promise<P>,
  options?: LoadOptions,
): PagedList<P> {
  const [state, setState] = useState<{ readonly key: string; readonly tokens: readonly string[] }>({ key, tokens: [] });
  const tokens = state.key === key ? state.tokens : [];
  const token = tokens.at(-1);
  return {
    ...useLoad(`${key} ${token ?? ""}`, (signal) => load(token, signal), options),
    page: tokens.length + 1,
    next: (nextToken) => setState({ key, tokens: [...tokens, nextToken] }),
    back: () => setState({ key, tokens: tokens.slice(0, -1) }),
  };
}
