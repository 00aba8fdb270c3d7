import { DniService, type ResolvedNumber } from "@calltrack/domain/gen/calltracking/v1/dni_pb";
import { useState } from "preact/hooks";
import { api } from "../../api/client";
import { phoneNumberText } from "../../format/phone-number-text";
import { ActionForm, fieldText } from "../../ui/action-form";
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

/** Shows the numbers that a visitor would see on a property. */
export function TryVisitor() {
  const [numbers, setNumbers] = useState<readonly ResolvedNumber[]>();
  const resolve = useAction("Resolving the numbers", async (removed, form: HTMLFormElement) => {
    setNumbers(undefined);
    const visitor = {
      accountId: fieldText(form, "account_id"),
      propertyToken: fieldText(form, "property_token"),
      source: fieldText(form, "source"),
      medium: fieldText(form, "medium"),
    };
    setNumbers((await api(DniService).resolveNumbers(visitor, { signal: removed })).numbers);
  });
  return (
    <section class="card stack" aria-labelledby="try-visitor">
      <h2 id="try-visitor">What would this visitor see?</h2>
      <ActionForm action={resolve} submit="Show numbers">
        <TextField label="Account" name="account_id" placeholder="acme" />
        <TextField label="Property" name="property_token" placeholder="shop.example" />
        <TextField label="Source" name="source" placeholder="google" hint="Leave empty if unknown." />
        <TextField label="Medium" name="medium" placeholder="cpc" />
      </ActionForm>
      <div aria-live="polite">
        {numbers !== undefined && (
          <DataTable
            label="Numbers for this visitor"
            columns={COLUMNS}
            rows={numbers}
            keyOf={({ poolId }) => poolId}
            empty={<Empty title="No pool shows numbers on this property" />}
          />
        )}
      </div>
    </section>
  );
}
