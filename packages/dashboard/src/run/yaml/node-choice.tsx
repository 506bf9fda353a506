import { Link } from '@tanstack/react-router';
import { ChevronDown, ChevronUp } from 'lucide-react';
import { FilterSelect } from '../../kit/controls/filter-select.tsx';
import { placeOfPath } from './yaml-place.ts';
import classes from './yaml-tab.module.css';

interface NodeChoiceProps {
  readonly run: string;
  readonly lines: Readonly<Record<string, number>>;
  readonly node: string | undefined;
  readonly choose: (node: string | undefined) => void;
}

/** The node whose lines are marked, the ones before and after it, and the way to it in the graph. */
export function NodeChoice({ run, lines, node, choose }: NodeChoiceProps) {
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
      <span className={classes['steps']}>
        <button type="button" aria-label="Node before" disabled={before === undefined} onClick={() => choose(before)}>
          <ChevronUp aria-hidden size={16} />
        </button>
        <button type="button" aria-label="Node after" disabled={after === undefined} onClick={() => choose(after)}>
          <ChevronDown aria-hidden size={16} />
        </button>
      </span>
      {node !== undefined && (
        <Link to="/runs/$run/graph" params={{ run }} search={placeOfPath(node)}>
          Show {node} in the graph
        </Link>
      )}
    </>
  );
}
