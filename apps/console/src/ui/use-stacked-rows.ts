import { useLayoutEffect, useRef } from "preact/hooks";

/**
 * Sets `data-stacked` on the frame of a table that is too wide for it. The cells of each row are then shown below each other, so that none is
 * cut off. A table that draws only some rows changes its width as it scrolls, so it is measured only when its frame changes.
 */
export function useStackedRows(frame: { readonly current: HTMLElement | null }, drawsAllRows: boolean) {
  /** The minimum width, in pixels, at which the table fits unstacked. */
  const neededPx = useRef(0);
  const measure = () => {
    const element = frame.current;
    if (element === null) return;
    if (element.clientWidth >= neededPx.current) element.removeAttribute("data-stacked");
    if (element.hasAttribute("data-stacked") || element.scrollWidth <= element.clientWidth) return;
    neededPx.current = element.scrollWidth;
    element.setAttribute("data-stacked", "");
  };
  useLayoutEffect(() => {
    if (drawsAllRows) measure();
  });
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    let width = 0;
    const observer = new ResizeObserver(() => {
      if (element.clientWidth !== width) measure();
      width = element.clientWidth;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
}
