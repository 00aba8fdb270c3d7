import { useState } from "preact/hooks";
import type { ListPage } from "../api/list-pages";
import { type Loaded, type LoadOptions, useLoad } from "../api/use-load";
import { useDelayed } from "./use-delayed";

export interface PagedList<P> extends Loaded<P> {
  /** The page's number, from 1. */
  readonly page: number;
  /** Goes to the next page; undefined on the last page. */
  readonly next: (() => void) | undefined;
  /** Goes to the previous page; undefined on the first page. */
  readonly back: (() => void) | undefined;
}

/** Requests are sent only when a filter has not changed for this time. */
const FILTER_DELAY_MS = 300;

/**
 * Loads a list from the API page by page.
 *
 * @param filters identifies the list and its filters. Shortly after this text changes, the first page is loaded.
 * @param load loads the page for a token, or the first page if the token is undefined.
 */
export function usePagedList<P extends ListPage>(
  filters: string,
  load: (pageToken: string | undefined, signal: AbortSignal) => Promise<P>,
  options?: LoadOptions,
): PagedList<P> {
  const key = useDelayed(filters, FILTER_DELAY_MS);
  // `tokens` has the token of each known page, beginning with the second.
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
