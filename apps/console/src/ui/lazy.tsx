import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { Notice } from "./notice";
import { Placeholder } from "./placeholder";

/** A component whose code is loaded when it is first shown. */
export interface LazyComponent<P> {
  (props: P): preact.ComponentChildren;
  /** Starts to load the code, if nothing else has. */
  preload(): void;
}

/** Creates a component from a dynamic import. It shows a placeholder until its code has arrived. */
export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): LazyComponent<P> {
  const loaded = signal<{ readonly component: ComponentType<P> } | "failed" | undefined>(undefined);
  let isStarted = false;
  const preload = () => {
    if (isStarted) return;
    isStarted = true;
    load().then(
      (component) => {
        loaded.value = { component };
      },
      () => {
        loaded.value = "failed";
      },
    );
  };
  const Lazy = (props: P) => {
    preload();
    if (loaded.value === undefined) return <Placeholder what="this page" />;
    if (loaded.value === "failed") return <CodeMissing />;
    const { component: Component } = loaded.value;
    return <Component {...props} />;
  };
  return Object.assign(Lazy, { preload });
}

/** An update of the server removes the files of the former console, which an open tab may still ask for. */
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
