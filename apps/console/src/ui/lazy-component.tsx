import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { LoadingPlaceholder } from "./loading-placeholder";
import { Notice } from "./notice";

/** Creates a component whose code is loaded by `preload` or when it is first shown. Shows a placeholder until the code is loaded. */
export function lazyComponent<P extends object>(load: () => Promise<ComponentType<P>>) {
  const shown = signal<ComponentType<P>>(() => <LoadingPlaceholder what="this page" />);
  let isStarted = false;
  const preload = async () => {
    if (isStarted) return;
    isStarted = true;
    shown.value = await load().catch(() => CodeMissing);
  };
  const Lazy = (props: P) => {
    preload();
    const { value: Shown } = shown;
    return <Shown {...props} />;
  };
  return Object.assign(Lazy, { preload });
}

/**
 * Shown if a page's code cannot be loaded. A server update removes the code files of the previous console version, which open tabs may still request.
 */
function CodeMissing() {
  return (
    <Notice kind="error" title="This part of the console could not be loaded">
      <p>The server was updated or cannot be reached. Reload the page to get the current console.</p>
      <button type="button" onClick={() => location.reload()}>
        Reload
      </button>
    </Notice>
  );
}
