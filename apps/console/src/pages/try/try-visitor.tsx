import { DniService, type ResolvedNumber } from "@calltrack/domain/gen/calltracking/v1/dni_pb";
import { useState } from "preact/hooks";
import { api } from "../../api/client";
import { phoneNumberText } from "../../format/phone-number-text";
import { ActionForm } from "../../ui/action-form";
import { type Column, DataTable } from "../../ui/data-table";
import { Empty } from "../../ui/empty";
import { TextField } from "../../ui/field";
import { useAction } from "../../ui/use-action";

const COLUMNS: readonly Column<ResolvedNumber>[] = [
  { title: "On the page", isHeader: true, cell: ({ originalNumber }) => phoneNumberText(originalNumber) },
  {
    title: "The visitor sees",
    cell: ({ originalNumber, number }) =>
      number === originalNumber ? <span class="muted">the same</span> : <strong>{phoneNumberText(number)}</strong>,
  },
];

/** Shows the numbers that a visitor of a property would see. */
export function TryVisitor() {
  const [account, setAccount] = useState("");
  const [property, setProperty] = useState("");
  const [source, setSource] = useState("");
  const [medium, setMedium] = useState("");
  const [numbers, setNumbers] = useState<readonly ResolvedNumber[]>();
  const resolve = useAction(async () => {
    setNumbers(undefined);
    const visitor = {
      accountId: account,
      propertyToken: property,
      ...(source !== "" && { source }),
      ...(medium !== "" && { medium }),
    };
    setNumbers((await api(DniService).resolveNumbers(visitor)).numbers);
  });
  const violations = resolve.failure?.violations ?? {};
  return (
    <section class="card stack" aria-labelledby="try-visitor">
      <h2 id="try-visitor">What would this visitor see?</h2>
      <ActionForm action={resolve} submit="Show numbers">
        <TextField
          label="Account"
          value={account}
          onChange={setAccount}
          placeholder="acme"
          problem={violations.account_id}
        />
        <TextField
          label="Property"
          value={property}
          onChange={setProperty}
          placeholder="shop.example"
          problem={violations.property_token}
        />
        <TextField
          label="Source"
          value={source}
          onChange={setSource}
          placeholder="google"
          hint="Empty if it is unknown."
          problem={violations.source}
        />
        <TextField label="Medium" value={medium} onChange={setMedium} placeholder="cpc" problem={violations.medium} />
      </ActionForm>
      <div aria-live="polite">
        {numbers !== undefined &&
          (numbers.length === 0 ? (
            <Empty title="No pool shows numbers on this property" />
          ) : (
            <DataTable
              label="Numbers for this visitor"
              columns={COLUMNS}
              rows={numbers}
              keyOf={({ poolId }) => poolId}
            />
          ))}
      </div>
    </section>
  );
}
