import { type CallResolution, DniService } from "@calltrack/domain/gen/calltracking/v1/dni_pb";
import { useState } from "preact/hooks";
import { createApiClient } from "../../api/client";
import { formatPhoneNumber, stripSpaces } from "../../format/format-phone-number";
import { parseLocalTime } from "../../format/time-text";
import { linkTo } from "../../routing/route";
import { ActionForm, readFieldText } from "../../ui/action-form";
import { TextField } from "../../ui/form-field";
import { LabeledValue } from "../../ui/labeled-value";
import { LocalTime } from "../../ui/local-time";
import { useAction } from "../../ui/use-action";

/** A form that shows where a call to a tracking number goes now, or where it went at a past time. */
export function ResolveCallForm() {
  const [resolution, setResolution] = useState<CallResolution>();
  const resolve = useAction("Resolving the call", async (removed, form: HTMLFormElement) => {
    setResolution(undefined);
    const trackingNumber = stripSpaces(readFieldText(form, "tracking_number"));
    const at = parseLocalTime(readFieldText(form, "at"));
    setResolution(await createApiClient(DniService).resolveCall({ trackingNumber, at }, { signal: removed }));
  });
  return (
    <section class="card stack" aria-labelledby="try-call">
      <h2 id="try-call">Where does this call go?</h2>
      <ActionForm action={resolve} submit="Show destination">
        <TextField label="Number dialed" name="tracking_number" inputMode="tel" placeholder="+14155550100" />
        <TextField
          label="When"
          name="at"
          type="datetime-local"
          hint="In your time zone. Leave empty for the current time."
        />
      </ActionForm>
      <div aria-live="polite">{resolution !== undefined && <Resolution of={resolution} />}</div>
    </section>
  );
}

function Resolution({ of }: { readonly of: CallResolution }) {
  const { originalNumber, accountToken, poolId, source, medium, heldUntil, isPrompted, isRecorded } = of;
  const actions = [isPrompted && "a prompt plays", isRecorded && "recording starts"].filter(Boolean);
  const place = (
    <>
      {accountToken} <a href={linkTo("accounts", accountToken, "pools", poolId)}>open the pool</a>
    </>
  );
  return (
    <dl class="facts facts-narrow">
      <LabeledValue name="Goes to" value={formatPhoneNumber(originalNumber)} />
      <LabeledValue name="Counts for" value={source === undefined ? "no source" : `${source} / ${medium}`} />
      <LabeledValue name="Account and pool" value={place} />
      <LabeledValue name="Assigned until" value={<LocalTime value={heldUntil} none="still assigned" />} />
      <LabeledValue name="When the call starts" value={actions.join(", ") || "nothing"} />
    </dl>
  );
}
