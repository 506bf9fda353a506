import type { ActivationDetail, CallDetail, CallUsage } from '@millrace/client';
import { exactText } from '@millrace/core/visible-text';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { millrace } from '../../api/millrace.ts';
import { CopyAs } from '../../kit/commands/copy-as.tsx';
import { copyOf } from '../../kit/commands/copy-of.ts';
import { Skeleton } from '../../kit/states/empty.tsx';
import { ErrorCode, Problem } from '../../kit/states/problem.tsx';
import { FoldedText } from '../../kit/text/markdown.tsx';
import { formatCost, formatCount, formatDuration, formatSaved } from '../../kit/values/format.ts';
import { Prose } from '../../kit/values/prose.tsx';
import { ForkPromptButton } from '../fork/fork-button.tsx';
import classes from './activation-calls.module.css';

type CallLine = ActivationDetail['calls'][number];

interface ActivationCallsProps {
  readonly run: string;
  readonly activation: string;
  readonly calls: readonly CallLine[];
}

/** Calls of models, tools and programs by an activation, with their tokens, cost and time; each opens what was asked and what came back. */
export function ActivationCalls({ run, activation, calls }: ActivationCallsProps) {
  const shown = useMemo(() => columns.filter(({ isRare = () => false }) => !calls.every(isRare)), [calls]);
  if (calls.length === 0) return null;
  return (
    <section aria-label="Calls">
      <h3>Calls</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a table that is wider than the drawer is scrolled with the keyboard */}
      <section className={`${classes['wide']} scrolled`} aria-label="Table of calls" tabIndex={0}>
        <table className={classes['calls']}>
          <thead>
            <tr>
              <th scope="col">Call</th>
              {shown.map(({ title, isRare }) => (
                <th key={title} scope="col" data-rare={isRare !== undefined}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {calls.map((call) => (
              <Call key={call.step} run={run} activation={activation} call={call} shown={shown} />
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}

interface Column {
  readonly title: string;
  readonly textOf: (call: CallLine) => string;
  /** Tells if a call has nothing in it: it is shown only if another call has, and where there is room. */
  readonly isRare?: (call: CallLine) => boolean;
}

/** What a call has used, or what the recorded one had. */
const usageOf = ({ usage, recorded }: CallLine): CallUsage | undefined => usage ?? recorded?.usage;

const columns: readonly Column[] = [
  { title: 'In', textOf: (call) => countOrDash(usageOf(call)?.promptTokens) },
  {
    title: 'Cached',
    textOf: (call) => countOrDash(usageOf(call)?.cachedTokens),
    isRare: (call) => (usageOf(call)?.cachedTokens ?? 0) === 0,
  },
  {
    title: 'Written',
    textOf: (call) => countOrDash(usageOf(call)?.cacheWriteTokens),
    isRare: (call) => (usageOf(call)?.cacheWriteTokens ?? 0) === 0,
  },
  { title: 'Out', textOf: (call) => countOrDash(usageOf(call)?.completionTokens) },
  { title: 'Cost', textOf: costOf },
  {
    title: 'Saved',
    textOf: (call) => formatSaved(usageOf(call)?.savedMicroUsd),
    isRare: (call) => (usageOf(call)?.savedMicroUsd ?? 0) === 0,
  },
  {
    title: 'Time',
    textOf: ({ startedAt, completedAt }) =>
      completedAt === undefined ? 'under way' : formatDuration(completedAt - startedAt),
  },
];

const countOrDash = (count: number | undefined): string => (count === undefined ? '–' : formatCount(count));

function costOf(call: CallLine): string {
  const usage = usageOf(call);
  return usage !== undefined && usage.microUsd === undefined ? 'no price' : formatCost(usage?.microUsd);
}

/** What follows when the outcome of a call is unknown, by the rule that has decided. */
const consequences = {
  tell: 'the model was told',
  verify: 'a tool was asked',
  ask: 'a person was asked',
  repeat: 'made again',
  fail: 'the node failed',
} satisfies Record<NonNullable<CallLine['unknown']>, string>;

/** How a call ended, if it did not simply return. */
function CallEnd({ call: { failed, unknown, late } }: Pick<CallProps, 'call'>) {
  return (
    <>
      {failed && <em> failed</em>}
      {unknown !== undefined && <em> outcome unknown: {consequences[unknown]}</em>}
      {late && <em> a result came too late</em>}
    </>
  );
}

interface CallProps {
  readonly run: string;
  readonly activation: string;
  readonly call: CallLine;
  readonly shown: readonly Column[];
}

function Call({ run, activation, call, shown }: CallProps) {
  const { step, name, insteadOf, completedAt, recorded } = call;
  const [isOpen, setOpen] = useState(false);
  const usage = usageOf(call);
  return (
    <>
      <tr>
        <th scope="row">
          <button type="button" className="fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {exactText(name)}
          </button>
          {insteadOf !== undefined && <em> in place of {insteadOf}</em>}
          {recorded !== undefined && <em> from the recording, not charged</em>}
          <CallEnd call={call} />
          {usage !== undefined && <small className="muted"> {billedAs(usage)}</small>}
        </th>
        {shown.map(({ title, textOf, isRare }) => (
          <td key={title} data-rare={isRare !== undefined}>
            {textOf(call)}
          </td>
        ))}
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={shown.length + 1} className={classes['opened']}>
            <CallContents run={run} activation={activation} step={step} isDone={completedAt !== undefined} />
          </td>
        </tr>
      )}
    </>
  );
}

/** Returns the facts of a call that its cost depends on, beside its tokens. */
const billedAs = ({ model, tier, region, requests = {}, rates }: CallUsage): string =>
  [
    ...(model === undefined ? [] : [`answered by ${model}`]),
    ...[tier, region].filter((fact) => fact !== undefined),
    ...Object.entries(requests).map(([tool, count]) => `${count} × ${tool.replaceAll('_', ' ')}`),
    ...(rates === undefined ? [] : [pricedBy(rates)]),
  ].join(' · ');

/** Returns where the price of a call comes from, in words. */
function pricedBy(rates: string): string {
  if (rates === 'graph') return 'price of the workflow';
  if (rates === 'operator') return 'price of the operator';
  if (rates === 'reported') return 'cost as the provider reports it';
  if (rates === 'assumed') return "list price of the model's vendor";
  return rates.startsWith('list') ? rates.replace(/^list ?/, 'list price of ').replace(/ of $/, '') : rates;
}

interface CallContentsProps {
  readonly run: string;
  readonly activation: string;
  readonly step: number;
  readonly isDone: boolean;
}

/** What a call asked, and what came back. */
function CallContents({ run, activation, step, isDone }: CallContentsProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ['run', run, 'call', activation, step, isDone],
    queryFn: ({ signal }) => millrace.runs.get(run).call(activation, step, undefined, { signal }),
    staleTime: isDone ? 'static' : 0,
  });
  if (error !== null && data === undefined) return <Problem error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={3} />;
  const { request, reply, text, error: failure, name, isRecorded } = data;
  return (
    <div className={`${classes['contents']} stack`}>
      {request !== undefined && <Asked request={request} />}
      {request === undefined && name.startsWith('chat ') && !isRecorded && (
        <p className="muted">What the model was asked was not recorded in this run.</p>
      )}
      {reply !== undefined && <Reply reply={reply} />}
      {text !== undefined && <Said title="Result" text={text} />}
      {failure !== undefined && (
        <p className="note" data-tone="failed">
          <ErrorCode code={failure.code} /> <Prose text={failure.message} />
        </p>
      )}
      <p className="row wrap">
        <CopyAs of={copyOf('runs.call', { id: run, aid: activation, step })} />
        {request !== undefined && <ForkPromptButton run={run} activation={activation} />}
      </p>
    </div>
  );
}

type Request = NonNullable<CallDetail['request']>;

function Asked({ request }: { readonly request: Request }) {
  const { provider, model, baseUrl, params, limit, tools, messages } = request;
  const written = Object.entries(params).map(([name, value]) => [name, JSON.stringify(value)] as const);
  const [long, short] = [written.filter(isLong), written.filter((param) => !isLong(param))];
  const settings: readonly (readonly [string, string])[] = [
    ['Model', `${model} of ${provider}${baseUrl === undefined ? '' : ` at ${baseUrl}`}`],
    ...short,
    ...(limit === undefined ? [] : [['limit', `${formatCount(limit)} tokens`] as const]),
  ];
  return (
    <section aria-label="Prompt" className="stack">
      <h4>Prompt</h4>
      <dl className={classes['settings']}>
        {settings.map(([name, value]) => (
          <div key={name}>
            <dt className="muted">{name}</dt>
            <dd>
              <code>{value}</code>
            </dd>
          </div>
        ))}
      </dl>
      {long.map(([name, value]) => (
        <Said key={name} title={name} text={value} />
      ))}
      {tools.length > 0 && <Tools tools={tools} />}
      {messages.map(({ role, text, size, name, toolCalls, toolCallId }, at) => (
        <Said
          // biome-ignore lint/suspicious/noArrayIndexKey: the messages of a request never change their order
          key={at}
          title={[role, name, toolCallId, cutOf(text, size)].filter((part) => part !== undefined).join(' · ')}
          text={text}
          calls={toolCalls}
        />
      ))}
    </section>
  );
}

/** Says how much of a text is here, if it is not all. */
const cutOf = (text: string, size: number | undefined): string | undefined =>
  size === undefined ? undefined : `${formatCount(text.length)} of ${formatCount(size)} characters`;

/** Number of characters up to which a param is shown in the line of the others. */
const longestParam = 80;

const isLong = ([, value]: readonly [string, string]): boolean => value.length > longestParam;

function Tools({ tools }: { readonly tools: Request['tools'] }) {
  return (
    <details>
      <summary>Tools: {tools.map(({ name }) => name).join(', ')}</summary>
      {tools.map(({ name, description, parameters }) => (
        <Said key={name} title={name} text={`${description}\n${JSON.stringify(parameters, null, 2)}`} />
      ))}
    </details>
  );
}

function Reply({ reply }: { readonly reply: NonNullable<CallDetail['reply']> }) {
  const { text, thoughts, end, finishReason, toolCalls, attachments = [], warnings = [] } = reply;
  return (
    <section aria-label="Reply" className="stack">
      <h4>
        Reply <small className="muted">ended with {finishReason ?? end}</small>
      </h4>
      {thoughts !== undefined && <Said title="Thoughts" text={thoughts} />}
      <Said title="assistant" text={text} calls={toolCalls} />
      {attachments.length > 0 && <p className="muted">With {attachments.join(', ')}</p>}
      {warnings.map(({ code, message }) => (
        <p key={`${code} ${message}`} className="note" data-tone="waiting">
          <ErrorCode code={code} /> <Prose text={message} />
        </p>
      ))}
    </section>
  );
}

interface SaidProps {
  readonly title: string;
  readonly text: string;
  readonly calls?: Request['messages'][number]['toolCalls'];
}

/** A text of a request or a reply as it is, with the calls of tools that it asks for. */
const Said = ({ title, text, calls = [] }: SaidProps) => (
  <figure className={`${classes['said']} note`}>
    <figcaption className="muted small">{title}</figcaption>
    {text !== '' && <FoldedText text={text} isPlain />}
    {calls.map(({ id, name, arguments: written }) => (
      <p key={id} className={classes['call']}>
        → <strong>{name}</strong> <code>{written}</code> <small className="muted">{id}</small>
      </p>
    ))}
  </figure>
);
