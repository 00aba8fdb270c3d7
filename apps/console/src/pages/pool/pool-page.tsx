import { PhoneNumberService } from "@calltrack/domain/gen/calltracking/v1/phone_number_pb";
import { PoolService } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { createApiClient } from "../../api/client";
import { useLoad } from "../../api/use-load";
import { createPoolEventFilter } from "../../events/event-filters";
import { formatPhoneNumber } from "../../format/format-phone-number";
import { linkTo } from "../../routing/route";
import { EmptyNotice } from "../../ui/empty-notice";
import { LoadedView } from "../../ui/loaded-view";
import { Page } from "../../ui/page";
import { Tabs } from "../../ui/tabs";
import { createPoolBreadcrumbs } from "../account-frame";
import { CallFlowTab } from "./call-flow-tab";
import { ResizeTab } from "./resize-tab";
import { SourcesTab } from "./sources-tab";
import { TimelineTab } from "./timeline-tab";

interface PoolPageProps {
  readonly account: string;
  readonly id: string;
  readonly tab: string;
}

const TABS = [
  ["Sources", "sources"],
  ["Resize", "resize"],
  ["Timeline", "timeline"],
  ["Call flow", "call-flow"],
] as const;

export function PoolPage({ account, id: poolId, tab }: PoolPageProps) {
  const loaded = useLoad(
    `pool ${account} ${poolId}`,
    async (signal) => {
      const pool = await createApiClient(PoolService).getPool({ accountId: account, poolId }, { signal });
      const number = { accountId: account, phoneNumberId: pool.originalNumberId };
      return {
        pool,
        number: (await createApiClient(PhoneNumberService).getPhoneNumber(number, { signal })).phoneNumber,
      };
    },
    { changedBy: (event) => event.type.startsWith("pool.") && createPoolEventFilter(poolId)(event) },
  );
  const link = (name: string) => linkTo("accounts", account, "pools", poolId, name);
  const title = loaded.value === undefined ? "Pool" : formatPhoneNumber(loaded.value.number);
  return (
    <Page title={title} path={createPoolBreadcrumbs(account)}>
      <LoadedView of={loaded} what="the pool">
        {({ pool, number }) => (
          <>
            <p class="lead">
              {[pool.description, pool.propertyToken && `on ${pool.propertyToken}`, `area code ${pool.areaCode}`]
                .filter(Boolean)
                .join(" · ")}
            </p>
            <Tabs label="Pool" tabs={TABS.map(([text, name]) => [text, link(name), name === tab] as const)} />
            {tab === "sources" && <SourcesTab pool={pool} />}
            {tab === "resize" && <ResizeTab value={{ pool, number }} loaded={loaded} />}
            {tab === "timeline" && <TimelineTab pool={pool} />}
            {tab === "call-flow" && <CallFlowTab pool={pool} />}
            {!TABS.some(([, name]) => name === tab) && <EmptyNotice title="This page does not exist" />}
          </>
        )}
      </LoadedView>
    </Page>
  );
}
