import { AlignLeft, ChevronDown, Download, FlaskConical, Upload } from 'lucide-react';
import { Menu, MenuItem } from '../../kit/controls/menu.tsx';
import { Toolbar } from '../../kit/layout/screen.tsx';
import { useIsNarrow } from '../../kit/layout/use-is-narrow.ts';
import { formatAge } from '../../kit/values/format.ts';
import { useServerNow } from '../../kit/values/time.tsx';
import type { Draft } from '../draft/use-draft.ts';
import { problemsId } from './problems.tsx';

/** Dialog of the editor. */
export type EditorDialog = 'try' | 'publish';

interface EditorToolbarProps {
  readonly draft: Draft;
  /** The text differs from the one that it began with. */
  readonly isChanged: boolean;
  /** Reason why the text cannot be tried or published now. */
  readonly obstacle: string | undefined;
  /** Number of errors and warnings in words; undefined while there is none. */
  readonly problems: string | undefined;
  readonly format: () => void;
  readonly download: () => void;
  readonly start: (dialog: EditorDialog) => void;
  readonly drop: () => void;
}

/** Actions on the text, and the state of its draft; on phones, those that change nothing elsewhere are in a menu. */
export function EditorToolbar({ draft, isChanged, obstacle, problems, ...acts }: EditorToolbarProps) {
  const isNarrow = useIsNarrow();
  const blocked = { 'aria-disabled': obstacle !== undefined, title: obstacle };
  return (
    <Toolbar end={<DraftState draft={draft} isChanged={isChanged} drop={acts.drop} />}>
      {!isNarrow && (
        <>
          <button type="button" className="button" onClick={acts.format}>
            <AlignLeft aria-hidden size={14} /> Format
          </button>
          <button type="button" className="button" onClick={acts.download}>
            <Download aria-hidden size={14} /> Download
          </button>
        </>
      )}
      <button type="button" className="button" {...blocked} onClick={() => acts.start('try')}>
        <FlaskConical aria-hidden size={14} /> Try…
      </button>
      <button type="button" className="button primary" {...blocked} onClick={() => acts.start('publish')}>
        <Upload aria-hidden size={14} /> Publish…
      </button>
      {isNarrow && (
        <Menu
          name="More for the text"
          label={
            <>
              More <ChevronDown aria-hidden size={14} />
            </>
          }
        >
          <MenuItem act={acts.format}>Format</MenuItem>
          <MenuItem act={acts.download}>Download</MenuItem>
        </Menu>
      )}
      {problems !== undefined && (
        <button type="button" className="link-button mono" onClick={showProblems}>
          {problems}
        </button>
      )}
    </Toolbar>
  );
}

function showProblems(): void {
  const list = document.getElementById(problemsId);
  list?.scrollIntoView({ block: 'nearest' });
  list?.focus({ preventScroll: true });
}

interface DraftStateProps {
  readonly draft: Draft;
  /** The text differs from the one that it began with. */
  readonly isChanged: boolean;
  readonly drop: () => void;
}

/** Place where the text is kept, and a button that restores the published one. */
function DraftState({ draft: { base, savedAt, isUnsaved }, isChanged, drop }: DraftStateProps) {
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
