import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { sentRequests } from "../api/request-history";
import { CopyButton } from "../ui/copy-button";
import { Empty } from "../ui/empty";
import { calltrackCommand } from "./calltrack-command";
import { curlCommand } from "./curl-command";

/** Shows the latest request of each method as commands to copy. */
export function CommandsPanel({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const tool = useSignal<"curl" | "calltrack">("calltrack");
  useEffect(() => dialog.current?.showModal(), []);
  const toText = tool.value === "curl" ? curlCommand : calltrackCommand;
  return (
    <dialog class="panel stack" ref={dialog} onClose={onClose} aria-labelledby="commands-title">
      <header class="panel-head">
        <h2 id="commands-title">Commands</h2>
        <form method="dialog">
          <button type="submit">Close</button>
        </form>
      </header>
      <p class="muted">What this console asked the server, as commands to copy. The newest are first.</p>
      <fieldset class="choices">
        <legend class="visually-hidden">Program</legend>
        {(["calltrack", "curl"] as const).map((name) => (
          <label key={name}>
            <input type="radio" name="tool" checked={tool.value === name} onChange={() => (tool.value = name)} />
            <code>{name}</code>
          </label>
        ))}
      </fieldset>
      {sentRequests.value.length === 0 && <Empty title="No requests yet" />}
      <ul class="commands">
        {sentRequests.value.map((request) => (
          <li key={request.method.name}>
            <div class="command-head">
              <strong>{request.method.name}</strong>
              <CopyButton text={toText(request)} what={`the command of ${request.method.name}`} />
            </div>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long command scrolls sideways, also by keyboard */}
            <pre tabIndex={0}>{toText(request)}</pre>
          </li>
        ))}
      </ul>
    </dialog>
  );
}
