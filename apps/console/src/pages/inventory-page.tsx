import { InventoryService } from "@calltrack/domain/gen/calltracking/v1/inventory_pb";
import { useState } from "preact/hooks";
import { api } from "../api/client";
import { useLoad } from "../api/use-load";
import { eventsAbout } from "../events/event-filters";
import { Empty } from "../ui/empty";
import { Loading } from "../ui/loading";
import { Page } from "../ui/page";
import { AreaCodeTable } from "./inventory/area-code-table";
import { MissingNumbers } from "./inventory/missing-numbers";
import { TrackingNumbers } from "./inventory/tracking-numbers";

/** The inventory: counts by area code and state, the pools that lack numbers, and all tracking numbers. */
export function InventoryPage() {
  const [areaCode, setAreaCode] = useState("");
  const loaded = useLoad("inventory", (signal) => api(InventoryService).countTrackingNumbers({}, { signal }), {
    changedBy: eventsAbout("tracking_number", "call_tracker"),
  });
  return (
    <Page title="Inventory">
      <p class="lead">All tracking numbers. Pools take the free ones.</p>
      <Loading of={loaded} what="the inventory">
        {({ counts }) =>
          counts.length === 0 ? (
            <Empty title="The inventory is empty">
              Import numbers with <code>calltrack inventory import numbers.csv</code>.
            </Empty>
          ) : (
            <>
              <AreaCodeTable counts={counts} onChoose={setAreaCode} />
              <h2>Pools that lack numbers</h2>
              <MissingNumbers counts={counts} />
              <h2>Numbers</h2>
              <TrackingNumbers areaCode={areaCode} onAreaCode={setAreaCode} onRetired={loaded.reload} />
            </>
          )
        }
      </Loading>
    </Page>
  );
}
