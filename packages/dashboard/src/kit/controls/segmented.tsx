import classes from './segmented.module.css';

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
      {(Object.entries(options) as [Value, string][]).map(([one, words]) => (
        <button key={one} type="button" aria-pressed={one === value} onClick={() => choose(one)}>
          {words}
        </button>
      ))}
    </fieldset>
  );
}
