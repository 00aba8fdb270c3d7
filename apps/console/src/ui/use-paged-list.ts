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
  // The tokens are those of the known pages from the second on.
  const [state, setState] = useState({ key, page: 1, tokens: [] as readonly string[] });
  const { page, tokens } = state.key === key ? state : { page: 1, tokens: [] };
  const token = tokens[page - 2];
  const loaded = useLoad(`${key} ${token ?? ""}`, (signal) => load(token, signal), options);
  const nextToken = loaded.value === undefined ? tokens[page - 1] : loaded.value.nextPageToken || undefined;
  const goTo = (next: number, known: readonly string[]) => () => setState({ key, page: next, tokens: known });
  return {
    ...loaded,
    page,
    next: nextToken === undefined ? undefined : goTo(page + 1, [...tokens.slice(0, page - 1), nextToken]),
    back: page === 1 ? undefined : goTo(page - 1, tokens),
  };
}
