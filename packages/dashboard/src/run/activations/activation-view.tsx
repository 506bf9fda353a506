import type { ActivationDetail } from '@millrace/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { hasEnded, stateAtEnd } from '../../activations/has-ended.ts';
import { millrace } from '../../api/millrace.ts';
import { Segmented } from '../../kit/controls/choices.tsx';
import { Skeleton } from '../../kit/states/empty.tsx';
import { ErrorCode, Problem } from '../../kit/states/problem.tsx';
import { FoldedText } from '../../kit/text/markdown.tsx';
import { formatBytes, formatDuration, formatInstant } from '../../kit/values/format.ts';
import { Prose } from '../../kit/values/prose.tsx';
import { Status } from '../../kit/values/status.tsx';
import { useRun } from '../follow/run-queries.ts';
import { useGraphs } from '../follow/use-graphs.ts';
import { ActivationApprovals } from './activation-approvals.tsx';
import { ActivationCalls } from './activation-calls.tsx';
import classes from './activation-view.module.css';
import { useActivation } from './use-activation.ts';

interface ActivationViewProps {
  readonly run: string;
  readonly activation: string;
}

/** One activation: its input, its calls, its output, and the reason of its failure. */
export function ActivationView({ run, activation }: ActivationViewProps) {
  const { data, error, refetch } = useActivation(run, activation);
  if (error !== null && data === undefined) return <Problem error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={4} />;
  return (
    <div className={`${classes['view']} stack`}>
      <Facts run={run} of={data} />
      {data.error !== undefined && (
        <p className="note" data-tone="failed">
          <ErrorCode code={data.error.code} /> <Prose text={data.error.message} />
        </p>
      )}
      {/* Questions about calls are below, each with its call. */}
      {data.question !== undefined && (data.approvals ?? []).length === 0 && (
        <p className="note" data-tone="waiting">
          {data.question}
        </p>
      )}
      {data.warnings.map(({ code, message }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an edge may fail in the same way for two outputs
        <p key={at} className="note" data-tone="waiting">
          <ErrorCode code={code} /> <Prose text={message} />
        </p>
      ))}
      <ActivationMessages run={run} title="Input" messages={data.input} isOpen={data.output.length === 0} />
      <ActivationApprovals approvals={data.approvals} />
      <ActivationCalls run={run} activation={activation} calls={data.calls} />
      <ActivationMessages run={run} title="Output" messages={data.output} isOpen />
      <ActivationRoutes run={run} graph={data.graph} routes={data.routes} />
      <ActivationFiles run={run} activation={activation} />
    </div>
  );
}

function Facts({ run, of }: { readonly run: string; readonly of: ActivationDetail }) {
  const { id, node, graph, state, readyAt, startedAt, settledAt, attempts, unit, iteration, worker } = of;
  const { data: whole } = useRun(run);
  const search = graph === '' ? {} : { g: graph };
  // Workers announce only long work, some time after it began.
  const [began] = [startedAt, of.calls[0]?.startedAt]
    .filter((time) => time !== undefined)
    .sort((one, other) => one - other);
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Unit', unit === undefined ? undefined : String(unit + 1)],
    ['Iteration', iteration?.toString()],
    ['Ready at', formatInstant(readyAt)],
    ['Queued', began === undefined ? undefined : formatDuration(began - readyAt)],
    ['Took', settledAt === undefined ? undefined : formatDuration(settledAt - (began ?? readyAt))],
    ['Attempts', attempts > 1 ? String(attempts) : undefined],
    ['Worker', worker],
  ];
  return (
    <div className={`${classes['facts']} row wrap`}>
      <Status of={whole !== undefined && hasEnded(whole) ? stateAtEnd(state) : state} />
      <code>{id}</code>
      <Link to="/runs/$run/graph" params={{ run }} search={{ ...search, n: node }}>
        {graph === '' ? node : `${graph} / ${node}`}
      </Link>
      <dl>
        {facts.map(([name, value]) =>
          value === undefined ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
    </div>
  );
}

/** Files that an activation has written. */
function ActivationFiles({ run, activation }: { readonly run: string; readonly activation: string }) {
  const { data = [] } = useQuery({
    queryKey: ['run', run, 'artifacts', activation],
    queryFn: () => millrace.runs.get(run).artifacts(activation),
    staleTime: 5_000,
  });
  if (data.length === 0) return null;
  return (
    <section aria-label="Files">
      <h3>Files</h3>
      <ul className={`${classes['files']} muted`}>
        {data.map(({ id, path, size }) => (
          <li key={id}>
            <Link to="/runs/$run/files" params={{ run }} search={{ file: id }}>
              {path}
            </Link>
            <span>{formatBytes(size)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface ActivationRoutesProps {
  readonly run: string;
  /** Key of the graph of the activation. */
  readonly graph: string;
  readonly routes: ActivationDetail['routes'];
}

/** Edges that an activation passed its output over, and those whose condition was not met. */
function ActivationRoutes({ run, graph, routes = [] }: ActivationRoutesProps) {
  const { data } = useGraphs(run);
  const edges = data?.graphs.find(({ key }) => key === graph)?.edges ?? [];
  if (routes.length === 0) return null;
  const search = graph === '' ? {} : { g: graph };
  return (
    <section aria-label="Routes">
      <h3>Routes</h3>
      <ul className={`${classes['routes']} muted`}>
        {routes.map(({ edge, to, met }) => {
          const condition = edges[edge]?.condition;
          return (
            <li key={edge} className={met ? undefined : classes['unmet']}>
              <span aria-hidden>{met ? '→' : '⇢'}</span>
              <Link to="/runs/$run/graph" params={{ run }} search={{ ...search, n: to }}>
                {to}
              </Link>
              {condition !== undefined && <span>{condition}</span>}
              {!met && <span>not met</span>}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

type ActivationMessage = ActivationDetail['input'][number];

interface ActivationMessagesProps {
  readonly run: string;
  readonly title: string;
  readonly messages: readonly ActivationMessage[];
  readonly isOpen: boolean;
}

/** Messages of an activation, as Markdown or as plain text; they are rendered when they are opened. */
function ActivationMessages({ run, title, messages, isOpen: isOpenAtFirst }: ActivationMessagesProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const [look, setLook] = useState<'markdown' | 'raw'>('markdown');
  if (messages.length === 0) return null;
  const count = messages.length === 1 ? '' : ` · ${messages.length} messages`;
  return (
    <section aria-label={title}>
      <header className={`${classes['head']} row`}>
        <h3>
          <button
            type="button"
            className={`${classes['fold']} fold`}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            {title}
            <small>{count}</small>
          </button>
        </h3>
        {isOpen && (
          <Segmented
            label={`Look of ${title.toLowerCase()}`}
            options={{ markdown: 'Text', raw: 'Raw' }}
            value={look}
            choose={setLook}
          />
        )}
      </header>
      {isOpen &&
        messages.map((message, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: messages have no ids here, and never change their order
          <Message key={at} run={run} message={message} isPlain={look === 'raw'} />
        ))}
    </section>
  );
}

/** Characters of a message that an activation contains; the rest is loaded on request. */
const headLength = 2_048;
/** Bytes of a long message that are loaded first. */
const startBytes = 32_768;
/** Bytes of the largest message that is shown; larger ones are downloaded. */
const mostBytes = 8_000_000;

interface MessageProps {
  readonly run: string;
  readonly message: ActivationMessage;
  readonly isPlain: boolean;
}

/** Structured data of a message, by field, if it carries some. */
function Fields({ of }: { readonly of: ActivationMessage['data'] }) {
  if (of === undefined) return null;
  return (
    <dl className={classes['fields']} aria-label="Data">
      {Object.entries(of).map(([name, value]) => (
        <div key={name}>
          <dt>
            <code>{name}</code>
          </dt>
          <dd>{typeof value === 'string' ? value : JSON.stringify(value, null, 1)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Shown part of a message: the part that came with its activation, its beginning, or all of it. */
type Extent = 'head' | 'start' | 'whole';

/** Returns the part of a message of this size that is loaded after another one; undefined if the rest is too long for a page. */
function nextExtent(extent: Extent, size: number): Extent | undefined {
  if (extent === 'head' && size > startBytes) return 'start';
  return size <= mostBytes ? 'whole' : undefined;
}

function Message({ run, message: { id, role, source, text, data: fields, size = 0 }, isPlain }: MessageProps) {
  const [extent, setExtent] = useState<Extent>('head');
  const isHead = text.length >= headLength;
  const isStart = isHead && extent !== 'whole';
  const { data, error, isFetching } = useQuery({
    queryKey: ['run', run, 'message', id, extent],
    queryFn: ({ signal }) => {
      const handle = millrace.runs.get(run);
      return extent === 'start' ? handle.textStart(id, startBytes, { signal }) : handle.text(id, { signal });
    },
    placeholderData: keepPreviousData,
    staleTime: 'static',
    enabled: extent !== 'head',
  });
  const next = isStart ? nextExtent(extent, size) : undefined;
  return (
    <figure className={`${classes['message']} note`}>
      <figcaption className="row muted small">
        <span>
          {source} · {role}
        </span>
        <span>{formatBytes(size)}</span>
        <a
          className={`${classes['icon']} icon-button`}
          href={`/v1/runs/${encodeURIComponent(run)}/messages/${encodeURIComponent(id)}/text`}
          download={`${source}.txt`}
          aria-label="Download the message"
        >
          <Download aria-hidden size={13} />
        </a>
      </figcaption>
      <FoldedText text={data ?? text} isPlain={isPlain} isStart={isStart} />
      <Fields of={fields} />
      {error !== null && <Problem error={error} />}
      {next !== undefined && (
        <button type="button" className="button" disabled={isFetching} onClick={() => setExtent(next)}>
          {isFetching ? 'Loading …' : next === 'start' ? 'Load 32 KB' : `Load all ${formatBytes(size)}`}
        </button>
      )}
      {isStart && next === undefined && <p>Download the message to read the rest of it.</p>}
    </figure>
  );
}
