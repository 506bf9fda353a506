import { useState } from 'react';
import { LineChanges } from '../../kit/text/line-changes.tsx';
import classes from '../editor/workflow-editor.module.css';
import type { DraftAccess } from './use-draft.ts';

interface RivalDraftProps {
  readonly access: DraftAccess;
  /** Puts a text into the editor. */
  readonly show: (text: string) => void;
}

/** Says that another tab writes the same draft, and offers both texts. */
export function RivalDraft({ access: { draft, rival, takeRival, keepOwn }, show }: RivalDraftProps) {
  const [isCompared, compare] = useState(false);
  if (rival === undefined) return null;
  return (
    <section className={classes['rival']} role="alert" aria-label="Another tab has changed this draft">
      <p>
        <strong>Another tab has changed this draft.</strong> What you write here is not stored until you choose one of
        the two texts.
      </p>
      <p className={classes['links']}>
        <button type="button" className="button" onClick={keepOwn}>
          Keep the text of this tab
        </button>
        <button
          type="button"
          className="button"
          onClick={() => {
            show(rival.text);
            takeRival();
          }}
        >
          Take the text of the other tab
        </button>
        <button type="button" className="button" aria-expanded={isCompared} onClick={() => compare(!isCompared)}>
          Compare them
        </button>
      </p>
      {isCompared && <LineChanges before={draft.text} after={rival.text} />}
    </section>
  );
}
