import { Link } from '@tanstack/react-router';
import { ChevronDown, ChevronUp } from 'lucide-react';
import { Drawer } from '../kit/layout/drawer.tsx';
import { Skeleton } from '../kit/states/empty.tsx';
import { Problem } from '../kit/states/problem.tsx';
import { WordDiff } from '../kit/text/word-diff.tsx';
import { formatDuration, formatMoney } from '../kit/values/format.ts';
import { Status } from '../kit/values/status.tsx';
import type { TimelineRow } from '../run/timeline/timeline-row.ts';
import { workedMs } from '../run/timeline/timeline-row.ts';
import classes from './compare.module.css';
import type { Pair } from './pairs.ts';
import { useTexts } from './use-texts.ts';
import { Verdict } from './verdict.tsx';

interface PairDrawerProps {
  readonly runA: string;
  readonly runB: string;
  readonly pair: Pair;
  /** Shows another pair, or none. */
  readonly show: (pair: Pair | undefined) => void;
  readonly before: Pair | undefined;
  readonly after: Pair | undefined;
}

/** The activations of a pair beside the list: their facts, and the changes of their outputs and inputs. */
export function PairDrawer({ runA, runB, pair, show, before, after }: PairDrawerProps) {
  const { a, b, verdict } = pair;
  const node = (b ?? a)?.node ?? '';
  return (
    <Drawer
      title={node === '' ? 'Vote' : node}
      close={() => show(undefined)}
      actions={
        <>
          <Verdict of={verdict} />
          <Step label="Pair before" icon={ChevronUp} to={before} show={show} />
          <Step label="Pair after" icon={ChevronDown} to={after} show={show} />
        </>
      }
    >
      <div className={classes['drawer']}>
        <SideFacts letter="A" run={runA} row={a} />
        <SideFacts letter="B" run={runB} row={b} />
        <Texts key={`${a?.id} ${b?.id}`} runA={runA} runB={runB} pair={pair} />
      </div>
    </Drawer>
  );
}

interface StepProps {
  readonly label: string;
  readonly icon: typeof ChevronUp;
  readonly to: Pair | undefined;
  readonly show: (pair: Pair) => void;
}

const Step = ({ label, icon: Icon, to, show }: StepProps) => (
  <button
    type="button"
    className={classes['step']}
    aria-label={label}
    title={label}
    disabled={to === undefined}
    onClick={() => to !== undefined && show(to)}
  >
    <Icon aria-hidden size={16} />
  </button>
);

interface SideFactsProps {
  readonly letter: string;
  readonly run: string;
  readonly row: TimelineRow | undefined;
}

function SideFacts({ letter, run, row }: SideFactsProps) {
  if (row === undefined) return <p className={classes['side']}>{letter}: it was not due in this run.</p>;
  const { id, state, settledAt, microUsd = 0 } = row;
  return (
    <p className={classes['side']}>
      <b>{letter}</b>
      <Link to="/runs/$run/activations" params={{ run }} search={{ a: id }}>
        {id}
      </Link>
      <Status of={state} />
      {settledAt !== undefined && <span>{formatDuration(workedMs(row, settledAt))}</span>}
      {microUsd > 0 && <span>{formatMoney(microUsd)}</span>}
    </p>
  );
}

interface TextsProps {
  readonly runA: string;
  readonly runB: string;
  readonly pair: Pair;
}

/** Outputs and inputs of both activations, loaded when the drawer is opened. */
function Texts({ runA, runB, pair: { a, b } }: TextsProps) {
  const sideA = useTexts(runA, a?.id);
  const sideB = useTexts(runB, b?.id);
  const error = sideA.error ?? sideB.error;
  if (error !== null) return <Problem error={error} />;
  if (sideA.data === undefined || sideB.data === undefined) return <Skeleton rows={4} />;
  return (
    <>
      {(['output', 'input', 'error'] as const).map((part) => {
        const [before, after] = [sideA.data?.[part] ?? '', sideB.data?.[part] ?? ''];
        return before === '' && after === '' ? null : (
          <section key={part} aria-label={names[part]} className={classes['texts']}>
            <h3>{names[part]}</h3>
            <WordDiff before={before} after={after} />
          </section>
        );
      })}
    </>
  );
}

const names = { output: 'Output', input: 'Input', error: 'Error' } as const;
