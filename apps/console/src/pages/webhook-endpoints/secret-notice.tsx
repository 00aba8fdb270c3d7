import type { ComponentChildren } from "preact";
import { Copyable } from "../../ui/copyable";
import { Notice } from "../../ui/notice";

interface SecretNoticeProps {
  readonly title: string;
  readonly secret: string;
  readonly children?: ComponentChildren;
}

/** Shows a new secret, which the server tells only once. */
export function SecretNotice({ title, secret, children }: SecretNoticeProps) {
  return (
    <Notice kind="success" title={title}>
      <div class="urls">
        <Copyable title="Its secret, which is shown only now" what="the secret" value={secret} />
      </div>
      {children}
    </Notice>
  );
}
