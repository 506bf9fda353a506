import classes from './choices.module.css';

interface SegmentedProps<Value extends string> {
  /** Name of the choice for screen readers. */
  readonly label: string;
  /** Values with their words, in their order. */
  readonly options: Readonly<Record<Value, string>>;
  readonly value: Value;
  readonly choose: (value: Value) => void;
}

/** A choice of one among a few values that are all in view. */
export function Segmented<Value extends string>({ label, options, value, choose }: SegmentedProps<Value>) {
  return (
    <fieldset className={`${classes['segmented']} wrap`}>
      <legend className="visually-hidden">{label}</legend>
      {(Object.entries(options) as [Value, string][]).map(([one, text]) => (
        <button key={one} type="button" aria-pressed={one === value} onClick={() => choose(one)}>
          {text}
        </button>
      ))}
    </fieldset>
  );
}

interface FilterSelectProps {
  readonly label: string;
  readonly options: readonly FilterOption[];
  /** Absent: the filter is off. */
  readonly value: string | undefined;
  /** Words for no filter. */
  readonly none?: string;
  readonly choose: (value: string | undefined) => void;
}

interface FilterOption {
  readonly value: string;
  readonly label?: string;
}

/** A filter with one value out of many; the control of the platform, for its keyboard and its phones. */
export function FilterSelect({ label, options, value, none = 'any', choose }: FilterSelectProps) {
  const isKnown = value === undefined || options.some((option) => option.value === value);
  return (
    <label className={`${classes['filter']} inline muted ${value === undefined ? '' : classes['set']}`}>
      <span>{label}</span>
      <select value={value ?? ''} onChange={({ target }) => choose(target.value === '' ? undefined : target.value)}>
        <option value="">{none}</option>
        {!isKnown && <option value={value}>{value}</option>}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label ?? option.value}
          </option>
        ))}
      </select>
    </label>
  );
}
