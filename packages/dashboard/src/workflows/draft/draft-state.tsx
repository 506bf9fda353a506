import { formatAge } from '../../kit/values/format.ts';
import { useServerNow } from '../../kit/values/use-now.ts';
import type { Draft } from './use-draft.ts';

interface DraftStateProps {
  readonly draft: Draft;
  /** The text differs from the one that it began with. */
  readonly isChanged: boolean;
  readonly drop: () => void;
}

/** Place where the text is kept, and a button that restores the published one. */
export function DraftState({ draft: { base, savedAt, isUnsaved }, isChanged, drop }: DraftStateProps) {
  if (isUnsaved) return <span role="alert">This browser could not store the draft. Download it before you leave.</span>;
  if (!isChanged) return <span>{base === null ? 'not published yet' : 'as published'}</span>;
  return (
    <>
      {savedAt !== undefined && <Saved at={savedAt} />}
      <button type="button" className="button" onClick={drop}>
        Drop the draft
      </button>
    </>
  );
}

const Saved = ({ at }: { readonly at: number }) => <span>draft saved here {formatAge(at, useServerNow())}</span>;
