import { useVirtualRows } from '../../kit/tables/use-virtual-rows.ts';
import classes from './conversation.module.css';
import type { Entry } from './conversation.ts';
import { ConversationEntry } from './conversation-entry.tsx';

interface ConversationListProps {
  readonly run: string;
  readonly entries: readonly Entry[];
  /** Opens an activation. */
  readonly show: (activation: string) => void;
}

/** The parts of a conversation, of which only those near the window are in the document. */
export function ConversationList({ run, entries, show }: ConversationListProps) {
  const { body, rows, height, topOf, measure } = useVirtualRows<HTMLOListElement>({
    count: entries.length,
    rowHeight: 76,
    keyOf: (index) => `${entries[index]?.event} ${index}`,
  });
  return (
    <ol ref={body} className={classes['list']} style={{ height }} aria-label="Conversation">
      {rows.map((row) => {
        const entry = entries[row.index];
        return entry === undefined ? null : (
          <li
            key={row.key}
            ref={measure}
            data-index={row.index}
            aria-posinset={row.index + 1}
            aria-setsize={entries.length}
            style={{ transform: `translateY(${topOf(row)}px)` }}
          >
            <ConversationEntry
              run={run}
              entry={entry}
              isContinued={isSame(entry, entries[row.index - 1])}
              show={show}
            />
          </li>
        );
      })}
    </ol>
  );
}

/** Tests if the same node continues in the same activation. */
const isSame = (entry: Entry, before: Entry | undefined): boolean =>
  before !== undefined &&
  entry.activation !== undefined &&
  entry.activation === before.activation &&
  isOfPerson(entry) === isOfPerson(before);

const isOfPerson = (entry: Entry): boolean => entry.type === 'message' && entry.isPerson;
