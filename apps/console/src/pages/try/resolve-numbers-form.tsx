import { DniService, type ResolvedNumber } from "@calltrack/domain/gen/calltracking/v1/dni_pb";
import { useState } from "preact/hooks";
import { createApiClient } from "../../api/client";
import { formatPhoneNumber } from "../../format/format-phone-number";
import { ActionForm, readFieldText } from "../../ui/action-form";
import { DataTable, type TableColumn } from "../../ui/data-table";
import { EmptyNotice } from "../../ui/empty-notice";
import { TextField } from "../../ui/form-field";
import { useAction } from "../../ui/use-action";

const COLUMNS: readonly TableColumn<ResolvedNumber>[] = [
  { title: "On the page", isHeader: true, cell: ({ originalNumber }) => formatPhoneNumber(originalNumber) },
  {
    title: "The visitor sees",
    cell: ({ originalNumber, number }) =>
      number === originalNumber ? <span class="muted">the same</span> : <strong>{formatPhoneNumber(number)}</strong>,
  },
];

/** A form that shows the numbers that a visitor from a source would see on a property. */
export function ResolveNumbersForm() {
  const [numbers, setNumbers] = useState<readonly ResolvedNumber[]>();
  const resolve = useAction("Resolving the numbers", async (removed, form: HTMLFormElement) => {
    setNumbers(undefined);
    const visitor = {
      accountId: readFieldText(form, "account_id"),
      propertyToken: readFieldText(form, "property_token"),
      source: readFieldText(form, "source"),
      medium: readFieldText(form, "medium"),
    };
    setNumbers((await createApiClient(DniService).resolveNumbers(visitor, { signal: removed })).numbers);
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
            empty={<EmptyNotice title="No pool shows numbers on this property" />}
          />
        )}
      </div>
    </section>
  );
}
