import type { Run } from '@millrace/client';
import { parseQuestionId } from '@millrace/core/question-id';
import { Link } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight, SquareArrowOutUpRight, X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useShortcut } from '../../../kit/shortcuts/shortcuts.ts';
import { Skeleton } from '../../../kit/states/empty.tsx';
import { formatCount, formatCounted, formatMoney } from '../../../kit/values/format.ts';
import { Status } from '../../../kit/values/status.tsx';
import { AnswerForm } from '../../../questions/answer-form.tsx';
import { callQuestion } from '../../../questions/approval.ts';
import { AskedCall } from '../../../questions/asked-call.tsx';
import { useTask } from '../../../questions/use-tasks.ts';
import { ActivationView } from '../../activations/activation-view.tsx';
import { useRun } from '../../follow/run-queries.ts';
import { useGraphSearch } from '../../follow/use-graph-search.ts';
import { useGraphs } from '../../follow/use-graphs.ts';
import { useLiveOutput } from '../../follow/use-live-output.ts';
import { ForkActions } from '../../fork/fork-actions.tsx';
import { placeInside } from '../flow/use-actions.ts';
import { timesOf } from '../node/describe-node.ts';
import { iconOf } from '../node/icons.ts';
import { NodeLine } from '../node/node-line.tsx';
import type { NodeView } from '../view/node-view.ts';
import type { NodeActivation } from './node-activations.ts';
import { chosenIn } from './node-activations.ts';
import classes from './node-panel.module.css';
import { UnitList } from './unit-list.tsx';
import { useNodeActivations } from './use-node-activations.ts';

interface NodePanelProps {
  readonly run: string;
  readonly node: NodeView;
  /** Time of a picture that does not change; undefined: it is live. */
  readonly asOf: number | undefined;
}

/** Panel beside the graph: the state of a node, its question, and one of its activations. */
export function NodePanel({ run, node, asOf }: NodePanelProps) {
  const [search, move] = useGraphSearch();
  const heading = useRef<HTMLHeadingElement>(null);
  const { all, before, loadMore, isLoading } = useNodeActivations(run, node, { at: search.at, chosen: search.a });
  const activations = all ?? none;
  const at = chosenIn(activations, search.a);
  const activation = activations[at];
  const close = () => move({ n: undefined, in: undefined, a: undefined, unit: undefined });
  useShortcut('closePanel', close);
  // The focus moves to the panel when the user selects its node, not when the address contains it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus moves when another node is chosen
  useEffect(() => {
    if (!document.activeElement?.matches('[data-place], [data-row]')) return;
    heading.current?.focus({ preventScroll: true });
    // On a phone, the panel is below the graph.
    heading.current?.closest('aside')?.scrollIntoView({ block: 'nearest' });
  }, [node.place]);
  const Icon = iconOf(node.type);
  return (
    <aside className={`${classes['panel']} panel stack`} aria-label={`Node ${node.id}`}>
      <header className="row">
        <Icon aria-hidden size={16} />
        <h2 ref={heading} tabIndex={-1} className="grow">
          {node.id}
        </h2>
        <Status of={node.status} />
        <button
          type="button"
          className={`${classes['icon']} icon-button muted`}
          onClick={close}
          aria-label="Close"
          title="Close (Esc)"
        >
          <X aria-hidden size={16} />
        </button>
      </header>
      <p className={`${classes['facts']} wrap muted small`}>
        <code>{node.type}</code>
        {node.runs > 0 && <span>{timesOf(node.runs)}</span>}
        {node.live > 0 && node.status !== 'failed' && <span>{formatCount(node.live)} live</span>}
        {node.tokens > 0 && <span>{formatCount(node.tokens)} tokens</span>}
        {node.microUsd !== undefined && <span>{formatMoney(node.microUsd)}</span>}
        <Link
          to="/runs/$run/yaml"
          params={{ run }}
          search={{ n: node.key === '' ? node.id : `${node.key}/${node.id}` }}
        >
          YAML
        </Link>
      </p>
      {node.data !== undefined && (
        <p className="small">
          <span className="muted">Data </span>
          <code>{node.data}</code>
        </p>
      )}
      <div>
        <NodeLine run={run} node={node} inner={undefined} asOf={asOf} />
      </div>
      {node.graph !== undefined && <EnterButton graph={node.graph} />}
      <Question run={run} activation={activation} />
      {node.units !== undefined && all !== undefined && <UnitList run={run} activations={activations} />}
      {loadMore !== undefined && (
        <p>
          <button type="button" className="button" disabled={isLoading} onClick={loadMore}>
            {isLoading ? 'Loading …' : 'Look for earlier activations'}
          </button>
        </p>
      )}
      {activation === undefined ? (
        all === undefined ? (
          <Skeleton rows={4} />
        ) : (
          <p className="muted">It has not run yet.</p>
        )
      ) : (
        <>
          <ActivationWalk activations={activations} at={at} before={before} />
          <ForkActions key={activation.id} run={run} activation={activation.id} />
          {activation.state === 'live' && <LiveText run={run} activation={activation.id} />}
          <NodeRoutes run={run} node={node} activation={activation} />
          <ActivationView key={activation.id} run={run} activation={activation.id} />
        </>
      )}
    </aside>
  );
}

const none: readonly NodeActivation[] = [];

function EnterButton({ graph }: { readonly graph: string }) {
  const [, move] = useGraphSearch();
  return (
    <button type="button" className="button" onClick={() => move(placeInside(graph), { isStep: true })}>
      <SquareArrowOutUpRight aria-hidden size={14} /> Enter the graph inside
    </button>
  );
}

interface QuestionProps {
  readonly run: string;
  readonly activation: NodeActivation | undefined;
}

/** The questions of an activation, with the forms for the answers: agents may ask about several calls at once. */
function Question({ run, activation }: QuestionProps) {
  const { data, refetch } = useRun(run);
  const tasks = data?.tasks.filter(({ id }) => parseQuestionId(id).activation === activation?.id) ?? [];
  return tasks.map((task) => <OpenQuestion key={task.id} task={task} answered={() => void refetch()} />);
}

interface OpenQuestionProps {
  readonly task: Run['tasks'][number];
  readonly answered: () => void;
}

/** The form of a question; the run does not know who has claimed it. */
function OpenQuestion({ task, answered }: OpenQuestionProps) {
  const { data } = useTask(task.id);
  return (
    <article className={`${classes['question']} note stack`} data-tone="waiting" aria-label="Question">
      <h3>{callQuestion(task)}</h3>
      {task.approval !== undefined && <AskedCall approval={task.approval} />}
      <AnswerForm task={data ?? task} answered={answered} />
    </article>
  );
}

interface ActivationWalkProps {
  readonly activations: readonly NodeActivation[];
  readonly at: number;
  /** Number of activations before the first of these. */
  readonly before: number;
}

/** Shown activation of a node, and links to the others. */
function ActivationWalk({ activations, at, before }: ActivationWalkProps) {
  const [, move] = useGraphSearch();
  const go = (to: number) => {
    const one = activations[Math.max(0, Math.min(activations.length - 1, to))];
    // The newest one is followed: it is not in the address.
    if (one !== undefined) move({ a: one === activations.at(-1) ? undefined : one.id });
  };
  useShortcut('nextActivation', () => go(at + 1));
  useShortcut('previousActivation', () => go(at - 1));
  const one = activations[at];
  if (one === undefined) return null;
  return (
    <p className={`${classes['walk']} row muted`}>
      <button
        type="button"
        className={`${classes['icon']} icon-button muted`}
        disabled={at === 0}
        onClick={() => go(at - 1)}
        aria-label="Activation before"
        title="Activation before (p)"
      >
        <ChevronLeft aria-hidden size={14} />
      </button>
      <span>
        <strong>{one.id}</strong> · {formatCount(before + at + 1)} of{' '}
        {formatCounted(before + activations.length, 'activation')}
        {one.unit !== undefined && ` · unit ${one.unit + 1}`}
      </span>
      <button
        type="button"
        className={`${classes['icon']} icon-button muted`}
        disabled={at === activations.length - 1}
        onClick={() => go(at + 1)}
        aria-label="Activation after"
        title="Activation after (n)"
      >
        <ChevronRight aria-hidden size={14} />
      </button>
    </p>
  );
}

interface LiveTextProps {
  readonly run: string;
  readonly activation: string;
}

/** Complete live output of an executing activation. */
function LiveText({ run, activation }: LiveTextProps) {
  const output = useLiveOutput(run, activation);
  const text = useRef<HTMLPreElement>(null);
  const isFollowed = useRef(true);
  const length = output?.text.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: it scrolls when something was added
  useEffect(() => {
    const element = text.current;
    if (element !== null && isFollowed.current) element.scrollTop = element.scrollHeight;
  }, [length]);
  const noteScrolled = () => {
    const { scrollHeight = 0, scrollTop = 0, clientHeight = 0 } = text.current ?? {};
    isFollowed.current = scrollHeight - scrollTop - clientHeight < 80;
  };
  if (output === undefined || output.text === '') return null;
  return (
    <section aria-label="Live">
      <h3>{output.step}, as it speaks</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys */}
      <pre ref={text} className={classes['words']} tabIndex={0} onScroll={noteScrolled}>
        {output.skipped > 0 && '…'}
        {output.text}
      </pre>
    </section>
  );
}

interface NodeRoutesProps {
  readonly run: string;
  readonly node: NodeView;
  readonly activation: NodeActivation;
}

/** Edges of a node: which of them the outputs of an activation went over, and which not. */
function NodeRoutes({ run, node, activation }: NodeRoutesProps) {
  const { data } = useGraphs(run);
  const { routes } = activation;
  const graph = data?.graphs.find(({ key }) => key === node.key);
  const edges = graph?.edges.filter(({ from }) => from === node.id) ?? [];
  if (routes === undefined || activation.state !== 'completed' || edges.length === 0) return null;
  return (
    <section aria-label="Routes">
      <h3>Went to</h3>
      <ul className={`${classes['routes']} stack`}>
        {edges.map(({ index, to, condition, onError }) => {
          const isTaken = routes.includes(index);
          const label = condition ?? (onError ? 'on failure' : undefined);
          return (
            <li key={index} data-taken={isTaken}>
              <span aria-hidden className={classes['sign']}>
                {isTaken ? '→' : '–'}
              </span>{' '}
              {!isTaken && <span className="visually-hidden">not to</span>}
              <strong>{to}</strong>
              {label !== undefined && ` (${label})`}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
