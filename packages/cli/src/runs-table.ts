import type { RunSummary } from '@millrace/runtime';
import Table from 'cli-table3';

const borders = [
  'top',
  'top-mid',
  'top-left',
  'top-right',
  'bottom',
  'bottom-mid',
  'bottom-left',
  'bottom-right',
  'left',
  'left-mid',
  'mid',
  'mid-mid',
  'right',
  'right-mid',
] as const;

/** Runs as aligned columns without borders, for eyes and for grep. */
export function runsTable(runs: readonly RunSummary[]): string {
  const table = new Table({
    head: ['RUN', 'WORKFLOW', 'STATUS', 'STARTED', 'DURATION'],
    chars: { ...Object.fromEntries(borders.map((border) => [border, ''])), middle: '  ' },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  for (const { run, workflow, status, startedAt, finishedAt } of runs) {
    const duration = finishedAt === undefined ? '' : `${((finishedAt - startedAt) / 1000).toFixed(1)}s`;
    table.push([run, workflow, status, new Date(startedAt).toISOString(), duration]);
  }
  return table.toString().replace(/ +$/gm, '');
}
