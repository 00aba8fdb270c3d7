import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type CallResolution, DniService } from "@calltrack/domain/gen/calltracking/v1/dni_pb";
import { useState } from "preact/hooks";
import { api } from "../../api/client";
import { phoneNumberText, typedNumber } from "../../format/phone-number-text";
import { linkTo } from "../../routing/route";
import { TextField } from "../../ui/field";
import { FailureNotice } from "../../ui/notice";
import { Time } from "../../ui/time";
import { useAction } from "../../ui/use-action";

/** Shows where a call to a tracking number goes, now or at a past moment. */
export function TryCall() {
  const [number, setNumber] = useState("");
  const [at, setAt] = useState("");
  const [resolution, setResolution] = useState<CallResolution>();
  const resolve = useAction(async () => {
    setResolution(undefined);
    const moment = at === "" ? {} : { at: timestampFromDate(new Date(at)) };
    setResolution(await api(DniService).resolveCall({ trackingNumber: typedNumber(number), ...moment }));
  });
  const violations = resolve.failure?.violations ?? {};
  return (
    <section class="card stack" aria-labelledby="try-call">
      <h2 id="try-call">Where does this call go?</h2>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          resolve.run();
        }}
      >
        <TextField
          label="Number dialled"
          inputMode="tel"
          value={number}
          onChange={setNumber}
          placeholder="+14155550100"
          problem={violations.tracking_number}
        />
        <TextField
          label="When"
          type="datetime-local"
          value={at}
          onChange={setAt}
          hint="Your time; empty for now."
          problem={violations.at}
        />
        {Object.keys(violations).length === 0 && <FailureNotice failure={resolve.failure} />}
        <button type="submit" class="primary" disabled={resolve.isRunning}>
          Show target
        </button>
      </form>
      <div aria-live="polite">{resolution !== undefined && <Resolution of={resolution} />}</div>
    </section>
  );
}

function Resolution({ of }: { readonly of: CallResolution }) {
  const { originalNumber, accountToken, poolId, source, medium, heldUntil, isPrompted, isRecorded } = of;
  return (
    <dl class="facts facts-narrow">
      <div class="fact">
        <dt>Goes to</dt>
        <dd>{phoneNumberText(originalNumber)}</dd>
      </div>
      <div class="fact">
        <dt>Counts for</dt>
        <dd>{source === undefined ? "no source" : `${source} / ${medium}`}</dd>
      </div>
      <div class="fact">
        <dt>Account and pool</dt>
        <dd>
          {accountToken} <a href={linkTo("accounts", accountToken, "pools", poolId)}>open the pool</a>
        </dd>
      </div>
      <div class="fact">
        <dt>Held until</dt>
        <dd>
          <Time value={heldUntil} none="still held" />
        </dd>
      </div>
      <div class="fact">
        <dt>Before the call</dt>
        <dd>
          {[isPrompted && "a prompt plays", isRecorded && "recording starts"].filter(Boolean).join(", ") || "nothing"}
        </dd>
      </div>
    </dl>
  );
}
