import {
  type PhoneSystem,
  PhoneSystemKindSchema,
  PhoneSystemService,
} from "@calltrack/domain/gen/calltracking/v1/phone_system_pb";
import { api } from "../api/client";
import { useLoad } from "../api/use-load";
import { enumText } from "../format/enum-text";
import { phoneNumberText } from "../format/phone-number-text";
import { Badge } from "../ui/badge";
import { type Column, DataTable } from "../ui/data-table";
import { Empty } from "../ui/empty";
import { Loading } from "../ui/loading";
import { FailureNotice } from "../ui/notice";
import { Page } from "../ui/page";
import { useAction } from "../ui/use-action";

/** The phone systems with their state and URLs, each of which can be disabled and enabled. */
export function PhoneSystemsPage() {
  const loaded = useLoad("phone systems", (signal) => api(PhoneSystemService).listPhoneSystems({}, { signal }));
  const update = useAction(async ({ id, etag, isActive }: PhoneSystem) => {
    await api(PhoneSystemService).updatePhoneSystem({ phoneSystemId: id, etag, isActive: !isActive });
    loaded.reload();
  });
  const toggle = (system: PhoneSystem) => {
    const question = `Disable ${system.name}? Its callers reach only its own fallback then.`;
    if (!system.isActive || confirm(question)) update.run(system);
  };
  return (
    <Page title="Phone systems">
      <p class="lead">The providers and PBXs that carry calls.</p>
      <FailureNotice failure={update.failure} title="The phone system was not changed" />
      <Loading of={loaded} what="phone systems">
        {({ phoneSystems }) => (
          <DataTable
            label="Phone systems"
            columns={[...COLUMNS, actionColumn(toggle)]}
            rows={phoneSystems}
            keyOf={({ id }) => id}
            empty={
              <Empty title="There are no phone systems">
                Create one with <code>calltrack phone-systems create</code>.
              </Empty>
            }
          />
        )}
      </Loading>
    </Page>
  );
}

const COLUMNS: readonly Column<PhoneSystem>[] = [
  { title: "Name", isHeader: true, cell: ({ name }) => name },
  { title: "Kind", cell: ({ kind }) => enumText(PhoneSystemKindSchema, kind) },
  { title: "State", cell: (system) => <State {...system} /> },
  { title: "Fallback number", wideOnly: true, cell: ({ fallbackNumber }) => phoneNumberText(fallbackNumber) },
  { title: "URL for incoming calls", wideOnly: true, cell: ({ voiceUrl }) => <Url text={voiceUrl} /> },
  { title: "URL for the status", wideOnly: true, cell: ({ statusUrl }) => <Url text={statusUrl} /> },
];

function State({ isActive, credentials }: PhoneSystem) {
  if (!isActive) return <Badge>disabled</Badge>;
  const isReadable = credentials.some((credential) => credential.isReadable);
  return isReadable ? <Badge kind="good">enabled</Badge> : <Badge kind="bad">credentials unreadable</Badge>;
}

function Url({ text }: { readonly text: string }) {
  return text === "" ? <span class="muted">PUBLIC_URL is unset</span> : <code>{text}</code>;
}

function actionColumn(onToggle: (system: PhoneSystem) => void): Column<PhoneSystem> {
  return {
    title: "Action",
    cell: (system) => {
      const action = system.isActive ? "Disable" : "Enable";
      return (
        <button type="button" class="small" aria-label={`${action} ${system.name}`} onClick={() => onToggle(system)}>
          {action}
        </button>
      );
    },
  };
}
