import type { ActivationDetail } from '@millrace/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { diffWordsWithSpace } from 'diff';
import type { TimelineRow } from '../activations/timeline-row.ts';
import { workedMs } from '../activations/timeline-row.ts';
import { millrace } from '../api/millrace.ts';
import { Drawer, DrawerSteps } from '../kit/layout/drawer.tsx';
import { Skeleton } from '../kit/states/empty.tsx';
import { Problem } from '../kit/states/problem.tsx';
import { TextDiff } from '../kit/text/text-diff.tsx';
import { formatDuration, formatMoney } from '../kit/values/format.ts';
import { Status } from '../kit/values/status.tsx';
import classes from './compare.module.css';
import type { Pair } from './pairs.ts';
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
          <DrawerSteps of="Pair" before={before} after={after} show={show} />
        </>
      }
    >
      <div className={`${classes['drawer']} stack`}>
        <SideFacts letter="A" run={runA} row={a} />
        <SideFacts letter="B" run={runB} row={b} />
        <Texts key={`${a?.id} ${b?.id}`} runA={runA} runB={runB} pair={pair} />
      </div>
    </Drawer>
  );
}

interface SideFactsProps {
  readonly letter: string;
  readonly run: string;
  readonly row: TimelineRow | undefined;
}

function SideFacts({ letter, run, row }: SideFactsProps) {
  if (row === undefined)
    return <p className={`${classes['side']} row wrap muted`}>{letter}: it was not due in this run.</p>;
  const { id, state, settledAt, microUsd = 0 } = row;
  return (
    <p className={`${classes['side']} row wrap muted`}>
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
          <section key={part} aria-label={names[part]} className={`${classes['texts']} stack`}>
            <h3>{names[part]}</h3>
            <WordDiff before={before} after={after} />
          </section>
        );
      })}
    </>
  );
}

const names = { output: 'Output', input: 'Input', error: 'Error' } as const;

/** Characters of both texts up to which words are compared; longer ones are compared line by line. */
const mostCharacters = 20_000;
/** Maximum time of a comparison, in milliseconds: longer ones block the page. */
const maxMs = 200;

/** Changes from one text to another, word by word; line by line in long texts. */
function WordDiff({ before, after }: { readonly before: string; readonly after: string }) {
  if (before === after) return <pre className={`${classes['text']} note`}>{before}</pre>;
  const parts =
    before.length + after.length > mostCharacters ? undefined : diffWordsWithSpace(before, after, { timeout: maxMs });
  if (parts === undefined) return <TextDiff before={before} after={after} />;
  return (
    <pre className={`${classes['text']} note`}>
      {parts.map(({ value, added, removed }, at) => {
        const Part = added ? 'ins' : removed ? 'del' : 'span';
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one comparison never change their places
        return <Part key={at}>{value}</Part>;
      })}
    </pre>
  );
}

/** Input and output of an activation, as texts. */
interface ActivationTexts {
  readonly input: string;
  readonly output: string;
  readonly error: string;
}

const nothing: ActivationTexts = { input: '', output: '', error: '' };

/** Loads the complete texts of an activation; none without an activation. */
function useTexts(run: string, activation: string | undefined) {
  return useQuery({
    queryKey: ['run', run, 'texts', activation ?? ''],
    queryFn: async (): Promise<ActivationTexts> => {
      if (activation === undefined) return nothing;
      const { input, output, error } = await millrace.runs.get(run).activation(activation);
      return {
        input: textOf(input),
        output: textOf(output),
        error: error === undefined ? '' : `${error.code}: ${error.message}`,
      };
    },
  });
}

const textOf = (messages: ActivationDetail['input']): string =>
  messages.length === 1
    ? (messages[0]?.text ?? '')
    : messages.map(({ source, text }) => `${source}: ${text}`).join('\n\n');
