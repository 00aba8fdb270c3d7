import { type Pool, type PoolExplanation, PoolTypeSchema } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import type { ComponentChildren } from "preact";
import { hasScope } from "../../api/identity";
import { enumText } from "../../format/enum-text";
import { countText, percentText } from "../../format/number-text";
import { linkTo } from "../../routing/route";
import { CapacityBar } from "../../ui/capacity-bar";
import { Time } from "../../ui/time";

interface PoolFactsProps {
  readonly pool: Pool;
  readonly explanation: PoolExplanation;
}

/** The key figures of a pool. */
export function PoolFacts({ pool, explanation }: PoolFactsProps) {
  const { unservedSources, missingNumbers, lastPassAt, nextPassAt, nextFreeAt, failedPasses } = explanation;
  return (
    <dl class="facts">
      <div class="fact fact-wide">
        <dt>Call trackers</dt>
        <dd>
          <CapacityBar {...explanation} size={pool.size} inWords />
        </dd>
      </div>
      <Fact name="Utilization">
        {pool.utilization === undefined ? enumText(PoolTypeSchema, pool.poolType) : percentText(pool.utilization)}
      </Fact>
      <Fact name="Sources without a number" isBad={unservedSources > 0}>
        {countText(unservedSources)}
      </Fact>
      <Fact name="Numbers missing" isBad={missingNumbers > 0}>
        {countText(missingNumbers)}
      </Fact>
      <Fact name="Advised size">
        <AdvisedSize pool={pool} size={explanation.advisedSize} />
      </Fact>
      <Fact name="Next free number">
        <Time value={nextFreeAt} none="none" />
      </Fact>
      <Fact name="Next pass">
        <Time value={nextPassAt} none="none is due" />
      </Fact>
      <Fact name="Last pass" isBad={failedPasses > 0}>
        <Time value={lastPassAt} none="none yet" />
      </Fact>
    </dl>
  );
}

interface FactProps {
  readonly name: string;
  readonly isBad?: boolean;
  readonly children: ComponentChildren;
}

function Fact({ name, isBad = false, children }: FactProps) {
  return (
    <div class={isBad ? "fact fact-bad" : "fact"}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function AdvisedSize({ pool, size }: { readonly pool: Pool; readonly size: number | undefined }) {
  if (size === undefined) return <>none is enough</>;
  if (size === pool.size || !hasScope("read")) return <>{countText(size)}</>;
  return (
    <>
      {countText(size)}{" "}
      <a class="note" href={`${linkTo("accounts", pool.accountToken, "pools", pool.id, "resize")}?size=${size}`}>
        plan it
      </a>
    </>
  );
}
