import type { ComponentChildren } from "preact";
import { CopyableValue } from "../../ui/copyable-value";
import { Notice } from "../../ui/notice";

interface SecretNoticeProps {
  readonly title: string;
  readonly secret: string;
  readonly children?: ComponentChildren;
}

/** Shows a new secret, which the server returns only once. */
export function SecretNotice({ title, secret, children }: SecretNoticeProps) {
  return (
    <Notice kind="success" title={title}>
      <div class="urls">
        <CopyableValue
          title="The secret: copy it now, because it is not shown again"
          what="the secret"
          value={secret}
        />
      </div>
      {children}
    </Notice>
  );
}
