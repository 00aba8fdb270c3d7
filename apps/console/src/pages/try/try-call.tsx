import { type CallResolution, DniService } from "@calltrack/domain/gen/calltracking/v1/dni_pb";
import { useState } from "preact/hooks";
import { api } from "../../api/client";
import { phoneNumberText, stripSpaces } from "../../format/phone-number-text";
import { parseLocalTime } from "../../format/time-text";
import { linkTo } from "../../routing/route";
import { ActionForm, fieldText } from "../../ui/action-form";
import { Fact } from "../../ui/fact";
import { TextField } from "../../ui/field";
import { Time } from "../../ui/time";
import { useAction } from "../../ui/use-action";

/** Shows where a call to a tracking number goes now, or went at a past time. */
export function TryCall() {
  const [resolution, setResolution] = useState<CallResolution>();
  const resolve = useAction("Resolving the call", async (removed, form: HTMLFormElement) => {
    setResolution(undefined);
    const trackingNumber = stripSpaces(fieldText(form, "tracking_number"));
    const at = parseLocalTime(fieldText(form, "at"));
    setResolution(await api(DniService).resolveCall({ trackingNumber, at }, { signal: removed }));
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
      <Fact name="Goes to" value={phoneNumberText(originalNumber)} />
      <Fact name="Counts for" value={source === undefined ? "no source" : `${source} / ${medium}`} />
      <Fact name="Account and pool" value={place} />
      <Fact name="Held until" value={<Time value={heldUntil} none="still held" />} />
      <Fact name="When the call starts" value={actions.join(", ") || "nothing"} />
    </dl>
  );
}
