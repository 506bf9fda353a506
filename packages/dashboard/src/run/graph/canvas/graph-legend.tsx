import type { ReactNode } from 'react';
import edgeClasses from './graph-edge.module.css';
import classes from './graph-legend.module.css';

/** The lines and the labels of a picture, each with its meaning. */
export const GraphLegend = ({ id }: { readonly id: string }) => (
  <dl id={id} className={`${classes['legend']} panel facts small`} aria-label="Legend">
    {lines.map(({ kind, passed, meaning }) => (
      <Entry key={meaning} meaning={meaning}>
        <svg viewBox="0 0 36 12" width={36} height={12} aria-hidden>
          <g className={`${edgeClasses['edge']} ${edgeClasses[kind]}`} data-passed={passed}>
            <path d="M0,6 H36" className={edgeClasses['line']} />
          </g>
        </svg>
      </Entry>
    ))}
    {labels.map(([label, meaning]) => (
      <Entry key={label} meaning={meaning}>
        <span>{label}</span>
      </Entry>
    ))}
  </dl>
);

const lines = [
  { kind: 'triggers', passed: false, meaning: 'starts the next node; nothing has passed yet' },
  { kind: 'triggers', passed: true, meaning: 'has passed something on' },
  { kind: 'carries', passed: false, meaning: 'brings its message, and does not start the node' },
  { kind: 'onError', passed: false, meaning: 'is taken when the node fails' },
] as const;

const labels = [
  ['3×', 'has passed something on three times'],
  ['contains "OK"', 'condition: only outputs that contain OK pass'],
  ['without "OK"', 'condition: only outputs that do not contain OK pass'],
  ['never', 'condition that no output meets'],
  ['– …', 'its condition was not met the last time'],
] as const;

interface EntryProps {
  readonly meaning: string;
  readonly children: ReactNode;
}

const Entry = ({ meaning, children }: EntryProps) => (
  <>
    <dt>{children}</dt>
    <dd>{meaning}</dd>
  </>
);
