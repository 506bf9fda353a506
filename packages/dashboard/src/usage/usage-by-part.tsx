import type { UsageLine, UsageReport } from '@millrace/client';
import { useMemo } from 'react';
import { nameOf } from './stacks.ts';
import { sumLines } from './sum-lines.ts';
import classes from './usage.module.css';
import type { Part, UsagePlace } from './usage-place.ts';
import { UsageTable } from './usage-table.tsx';

const heads = { workflow: 'Workflow', model: 'Model', tenant: 'Tenant' } as const;

interface UsageByPartProps {
  readonly report: UsageReport & { readonly isCut: boolean };
  readonly by: Exclude<Part, 'day'>;
  readonly place: UsagePlace;
  readonly go: (next: UsagePlace) => void;
}

/** Usage of all days by workflow, model or tenant. */
export function UsageByPart({ report, by, place, go }: UsageByPartProps) {
  const lines = useMemo(() => sumLines(report.data, (line) => nameOf(line, by)), [report, by]);
  return (
    <>
      <h2 className={classes['part']}>By {by}</h2>
      <UsageTable
        name={`Usage by ${by}`}
        head={heads[by]}
        lines={lines}
        keyOf={(line) => nameOf(line, by)}
        rowName={(line) => <Name line={line} by={by} place={place} go={go} />}
        total={report.total}
        hasRuns={by !== 'model'}
      />
      {report.isCut && <p className={classes['note']}>There are more than 1,000 tenants: the others are not shown.</p>}
    </>
  );
}

/** The name of a row; that of a workflow or tenant leads to its days. */
function Name({ line, by, place, go }: Omit<UsageByPartProps, 'report'> & { readonly line: UsageLine }) {
  const name = nameOf(line, by);
  if (by === 'model' || line[by] === null || line[by] === undefined) return name;
  const { by: _all, ...rest } = place;
  return (
    <button
      type="button"
      className={classes['name']}
      title={`Only ${name}`}
      onClick={() => go({ ...rest, [by]: name })}
    >
      {name}
    </button>
  );
}
