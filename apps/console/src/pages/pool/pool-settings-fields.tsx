import { type Pool, PoolType } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { FormField, TextField } from "../../ui/form-field";
import type { PoolFormSettings } from "./pool-form-settings";

const MIN_SLIDER_SIZE = 20;
const MAX_SIZE = 10_000;

interface SettingsFieldsProps {
  readonly pool: Pool;
  readonly advisedSize: number | undefined;
  readonly wanted: PoolFormSettings;
  readonly onChange: (changes: Partial<PoolFormSettings>) => void;
}

export function PoolSettingsFields({ pool, advisedSize, wanted, onChange }: SettingsFieldsProps) {
  const set = (name: keyof PoolFormSettings) => (value: string) => onChange({ [name]: value });
  const largest = Math.min(MAX_SIZE, Math.max(MIN_SLIDER_SIZE, 2 * pool.size, 2 * (advisedSize ?? 0)));
  return (
    <div class="stack">
      <Slider
        label="Size"
        hint={advisedSize === undefined ? `Now ${pool.size}.` : `Now ${pool.size}, advised ${advisedSize}.`}
        value={wanted.size}
        name="size"
        min={1}
        max={largest}
        step={1}
        onChange={set("size")}
      />
      {pool.poolType !== PoolType.MANUAL && (
        <Slider
          label="Utilization"
          hint={`Maximum number of active call trackers as a share of the size. Now ${pool.utilization}.`}
          value={wanted.utilization}
          name="utilization"
          min={0}
          max={1}
          step={0.01}
          onChange={set("utilization")}
        />
      )}
      <TextField
        label="Area code"
        hint="Applies to the numbers that the pool takes after the update."
        inputMode="numeric"
        value={wanted.areaCode}
        name="area_code"
        onChange={set("areaCode")}
      />
    </div>
  );
}

interface SliderProps {
  readonly label: string;
  readonly name: string;
  readonly hint: string;
  readonly value: string;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly onChange: (value: string) => void;
}

/** A slider beside a number input. The number input also accepts values outside the slider's range or between the slider's steps. */
function Slider({ label, name, hint, value, min, max, step, onChange }: SliderProps) {
  const change = (event: { readonly currentTarget: HTMLInputElement }) => onChange(event.currentTarget.value);
  return (
    <FormField {...{ label, name, hint }}>
      {(input) => (
        <span class="slider">
          <input type="range" aria-label={`${label}, slider`} {...{ min, max, step, value }} onInput={change} />
          <input {...input} type="number" step="any" value={value} onInput={change} />
        </span>
      )}
    </FormField>
  );
}
