import { useState } from "preact/hooks";
import type { ListPage } from "../api/list-pages";
import { type Loaded, type LoadOptions, useLoad } from "../api/use-load";
import { useDelayed } from "./use-delayed";

/** The loaded page of a list, and its place. */
export interface PagedList<P> extends Loaded<P> {
  /** The number of the page, from 1. */
  readonly page: number;
  /** Goes to the next page; undefined on the last. */
  readonly next: (() => void) | undefined;
  /** Goes to the previous page; undefined on the first. */
  readonly back: (() => void) | undefined;
}

/** The reader types a filter for a time without a request. */
const FILTER_DELAY_MS = 300;

/**
 * Loads a list of the API page by page.
 *
 * @param filters identifies the list and its filters. Shortly after it changes, the position is the first page again.
 * @param load loads the page of a token, the first one without.
 */
export function usePagedList<P extends ListPage>(
  filters: string,
  load: (pageToken: string | undefined, signal: AbortSignal) => Promise<P>,
  options?: LoadOptions,
): PagedList<P> {
  const key = useDelayed(filters, FILTER_DELAY_MS);
  const [state, setState] = useState<{ readonly key: string; readonly tokens: readonly string[] }>({ key, tokens: [] });
  const tokens = state.key === key ? state.tokens : [];
  const token = tokens.at(-1);
  const loaded = useLoad(`${key} ${token ?? ""}`, (signal) => load(token, signal), options);
  const nextToken = loaded.value?.nextPageToken ?? "";
  return {
    ...loaded,
    page: tokens.length + 1,
    next: nextToken === "" ? undefined : () => setState({ key, tokens: [...tokens, nextToken] }),
    back: token === undefined ? undefined : () => setState({ key, tokens: tokens.slice(0, -1) }),
  };
}
