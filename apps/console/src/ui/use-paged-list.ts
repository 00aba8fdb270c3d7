import { useRef, useState } from "preact/hooks";
import type { ListPage } from "../api/list-pages";
import { type LoadedValue, type LoadOptions, useLoad } from "../api/use-load";
import { useDelayedValue } from "./use-delayed-value";

export interface PagedList<P> extends LoadedValue<P> {
  /** The number of the current page; the first page is 1. */
  readonly page: number;
  /** Goes to the next page; undefined on the last page. */
  readonly next: (() => void) | undefined;
  /** Goes to the previous page; undefined on the first page. */
  readonly back: (() => void) | undefined;
}

/** How long a filter must stay unchanged before a request is sent. */
const FILTER_DELAY_MS = 300;

/**
 * Loads a list from the API page by page.
 *
 * @param filters identifies the list and its filters. Shortly after this text changes, the first page is loaded.
 * @param load loads the page that `pageToken` identifies, or the first page if `pageToken` is undefined.
 */
export function usePagedList<P extends ListPage>(
  filters: string,
  load: (pageToken: string | undefined, signal: AbortSignal) => Promise<P>,
  options?: LoadOptions,
): PagedList<P> {
  const key = useDelayedValue(filters, FILTER_DELAY_MS);
  // `tokens` contains the page token of each known page. It starts with the token of page 2, because the first page needs none.
  const [state, setState] = useState({ key, page: 1, tokens: [] as readonly string[] });
  const { page, tokens } = state.key === key ? state : { page: 1, tokens: [] };
  const token = tokens[page - 2];
  const pageKey = `${key} ${token ?? ""}`;
  // With `keepsOld`, `loaded.value` can still be another page or have other filters. The token in such a value leads to the wrong page.
  const last = useRef({ pageKey: "", nextPageToken: "" });
  const loadPage = async (signal: AbortSignal) => {
    const value = await load(token, signal);
    if (!signal.aborted) last.current = { pageKey, nextPageToken: value.nextPageToken };
    return value;
  };
  const loaded = useLoad(pageKey, loadPage, options);
  const nextToken = (last.current.pageKey === pageKey ? last.current.nextPageToken : tokens[page - 1]) || undefined;
  const goTo = (next: number, known: readonly string[]) => () => setState({ key, page: next, tokens: known });
  return {
    ...loaded,
    page,
    next: nextToken === undefined ? undefined : goTo(page + 1, [...tokens.slice(0, page - 1), nextToken]),
    back: page === 1 ? undefined : goTo(page - 1, tokens),
  };
}
