import { InventoryService } from "@calltrack/domain/gen/calltracking/v1/inventory_pb";
import { useState } from "preact/hooks";
import { createApiClient } from "../api/client";
import { useLoad } from "../api/use-load";
import { createResourceKindEventFilter } from "../events/event-filters";
import { EmptyNotice } from "../ui/empty-notice";
import { LoadedView } from "../ui/loaded-view";
import { Page } from "../ui/page";
import { AreaCodeTable } from "./inventory/area-code-table";
import { TrackingNumberTable } from "./inventory/tracking-number-table";
import { UnfilledPoolList } from "./inventory/unfilled-pool-list";

/** The inventory: counts by area code and state, the pools that lack numbers, and all tracking numbers. */
export function InventoryPage() {
  const [areaCode, setAreaCode] = useState("");
  const loaded = useLoad(
    "inventory",
    (signal) => createApiClient(InventoryService).countTrackingNumbers({}, { signal }),
    {
      changedBy: createResourceKindEventFilter("tracking_number", "call_tracker"),
    },
  );
  return (
    <Page title="Inventory">
      <p class="lead">All tracking numbers. Pools take free numbers from the inventory.</p>
      <LoadedView of={loaded} what="the inventory">
        {({ counts }) =>
          counts.length === 0 ? (
            <EmptyNotice title="The inventory is empty">
              Import numbers with <code>calltrack inventory import numbers.csv</code>.
            </EmptyNotice>
          ) : (
            <>
              <AreaCodeTable counts={counts} onChoose={setAreaCode} />
              <h2>Pools that lack numbers</h2>
              <UnfilledPoolList counts={counts} />
              <h2>Numbers</h2>
              <TrackingNumberTable areaCode={areaCode} onAreaCode={setAreaCode} onRetired={loaded.reload} />
            </>
          )
        }
      </LoadedView>
    </Page>
  );
}
