import { useLayoutEffect, useRef, useState } from "preact/hooks";

const INITIAL_PX = 640;

/** Returns a ref to set on an element, and the element's current width in pixels. */
export function useElementWidth<E extends HTMLElement>() {
  const ref = useRef<E>(null);
  const [width, setWidth] = useState(INITIAL_PX);
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return undefined;
    setWidth(element.clientWidth);
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { ref, width };
}
