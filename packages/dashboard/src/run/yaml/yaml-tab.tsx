import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ChevronDown, ChevronUp, Download } from 'lucide-react';
import { lazy, memo, Suspense, useEffect, useEffectEvent, useMemo } from 'react';
import { FilterSelect, Segmented } from '../../kit/controls/choices.tsx';
import { Toolbar } from '../../kit/layout/screen.tsx';
import { Empty, Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import { useVirtualRows } from '../../kit/tables/virtual-table.tsx';
import { CopyableId } from '../../kit/values/copyable-id.tsx';
import { formatCount } from '../../kit/values/format.ts';
import { runWorkflowQuery } from '../follow/run-queries.ts';
import { linesOf, longestLine, nodesByLine, partsOf, widthOf } from './yaml-lines.ts';
import { graphSearchOf } from './yaml-search.ts';
import classes from './yaml-tab.module.css';

const YamlChanges = lazy(async () => ({ default: (await import('./yaml-changes.tsx')).YamlChanges }));

/** The text that a run was started with: its nodes link to the graph, and it can be compared with the published version. */
export function YamlTab() {
  const { run } = useParams({ from: '/runs/$run' });
  const { n: node, view = 'text' } = useSearch({ from: '/runs/$run/yaml' });
  const navigate = useNavigate({ from: '/runs/$run/yaml' });
  const { data, error, refetch } = useQuery(runWorkflowQuery(run));
  if (error !== null && data === undefined) return <Problem error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={12} />;
  const { yaml, hash, current } = data;
  if (yaml === null) return <Empty title="This run was started without the text of its workflow." />;
  const choose = (n: string | undefined) =>
    void navigate({
      search: ({ n: _before, ...others }) => (n === undefined ? others : { ...others, n }),
      replace: true,
    });
  const hasChanged = current !== null && current.hash !== hash;
  return (
    <>
      <Toolbar
        end={
          <>
            {data.name} {hash !== null && <CopyableId id={hash.slice(0, 12)} />}
            <span>
              {current === null ? 'not published under this name' : hasChanged ? '' : 'the published version'}
            </span>
            <a className="button" href={fileOf(yaml)} download={`${data.name}.yaml`}>
              <Download aria-hidden size={14} /> Download
            </a>
          </>
        }
      >
        {hasChanged && (
          <Segmented
            label="View of the text"
            options={{ text: 'As started', changes: 'Changes since' }}
            value={view}
            choose={(to) =>
              void navigate({
                search: (before) => ({ ...before, view: to === 'changes' ? to : undefined }),
                replace: true,
              })
            }
          />
        )}
        {view === 'text' && <NodeChoice run={run} lines={data.lines} node={node} choose={choose} />}
      </Toolbar>
      <Variables vars={data.vars} />
      {view === 'changes' && current !== null ? (
        <Suspense fallback={<Skeleton rows={12} />}>
          <YamlChanges started={yaml} name={data.name} current={current} />
        </Suspense>
      ) : (
        <YamlText yaml={yaml} lines={data.lines} node={node} choose={choose} />
      )}
    </>
  );
}

/** Returns an address of the text itself. */
const fileOf = (yaml: string): string => `data:application/yaml;charset=utf-8,${encodeURIComponent(yaml)}`;

function Variables({ vars }: { readonly vars: Readonly<Record<string, unknown>> }) {
  if (Object.keys(vars).length === 0) return null;
  return (
    <dl className={`${classes['vars']} panel stack`}>
      {Object.entries(vars).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <code>{typeof value === 'string' ? value : JSON.stringify(value)}</code>
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface NodeChoiceProps {
  readonly run: string;
  readonly lines: Readonly<Record<string, number>>;
  readonly node: string | undefined;
  readonly choose: (node: string | undefined) => void;
}

/** The node whose lines are marked, the ones before and after it, and the way to it in the graph. */
function NodeChoice({ run, lines, node, choose }: NodeChoiceProps) {
  const nodes = Object.entries(lines)
    .sort(([, one], [, other]) => one - other)
    .map(([path]) => path);
  if (nodes.length === 0) return null;
  const at = node === undefined ? -1 : nodes.indexOf(node);
  const before = nodes[at - 1];
  const after = nodes[at + 1];
  return (
    <>
      <FilterSelect label="Node" value={node} options={nodes.map((value) => ({ value }))} choose={choose} />
      <span className={`${classes['steps']} inline`}>
        <button
          type="button"
          className="icon-button"
          aria-label="Node before"
          disabled={before === undefined}
          onClick={() => choose(before)}
        >
          <ChevronUp aria-hidden size={16} />
        </button>
        <button
          type="button"
          className="icon-button"
          aria-label="Node after"
          disabled={after === undefined}
          onClick={() => choose(after)}
        >
          <ChevronDown aria-hidden size={16} />
        </button>
      </span>
      {node !== undefined && (
        <Link to="/runs/$run/graph" params={{ run }} search={graphSearchOf(node)}>
          Show {node} in the graph
        </Link>
      )}
    </>
  );
}

interface YamlTextProps {
  readonly yaml: string;
  readonly lines: Readonly<Record<string, number>>;
  /** Path of the node whose lines are marked. */
  readonly node: string | undefined;
  readonly choose: (node: string) => void;
}

/** Height of a line, in pixels. */
const lineHeight = 19;

/** Lines up to which the whole text is in the document, where the search of the browser finds it. */
const mostSearchableLines = 500;

/** The lines of a workflow; a click on one marks the lines of its node. Of a long text, only those near the window are in the document. */
function YamlText({ yaml, lines: starts, node, choose }: YamlTextProps) {
  const lines = useMemo(() => linesOf(yaml), [yaml]);
  const nodes = useMemo(() => nodesByLine(lines, starts), [lines, starts]);
  const count = lines.length;
  const { body, rows, height, topOf, scrollTo } = useVirtualRows<HTMLOListElement>({
    count,
    rowHeight: lineHeight,
    overscan: count <= mostSearchableLines ? count : 40,
    scrollPadding: 96,
  });
  const begin = node === undefined ? undefined : starts[node];
  const showBegin = useEffectEvent((line: number) => scrollTo(line - 1));
  useEffect(() => {
    if (begin !== undefined) showBegin(begin);
  }, [begin]);
  return (
    <>
      {count > mostSearchableLines && (
        <p className={`${classes['changes']} muted`}>
          {formatCount(count)} lines. The search of the browser finds only those near the window; the downloaded text
          has all.
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a text that is wider than the page is scrolled with the keyboard */}
      <section className={`${classes['text']} panel scrolled`} aria-label="Text of the workflow" tabIndex={0}>
        <ol ref={body} style={{ height, minWidth: `${widthOf(lines)}ch` }}>
          {rows.map((row) => {
            const { index } = row;
            const of = nodes[index];
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the list of nodes above does the same for the keyboard
              <li
                key={index}
                aria-posinset={index + 1}
                aria-setsize={count}
                className={of !== undefined && of === node ? classes['marked'] : undefined}
                data-line={index + 1}
                style={{ transform: `translateY(${topOf(row)}px)` }}
                title={of}
                onClick={() => of !== undefined && of !== node && getSelection()?.isCollapsed !== false && choose(of)}
              >
                <Line text={lines[index] ?? ''} />
              </li>
            );
          })}
        </ol>
      </section>
    </>
  );
}

/** One line with its key, value and comment in their looks. */
const Line = memo(function Line({ text }: { readonly text: string }) {
  return (
    <code>
      {partsOf(text).map(({ text: part, kind }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts have no ids, and never change
        <span key={at} className={classes[kind]}>
          {part}
        </span>
      ))}
      {text.length > longestLine && <em>… {formatCount(text.length - longestLine)} more characters</em>}
    </code>
  );
});
