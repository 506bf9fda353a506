import type { MadeKey } from '@millrace/client';
import { Dialog } from '../kit/controls/dialog.tsx';
import { CopyableId } from '../kit/values/copyable-id.tsx';
import classes from './settings.module.css';

/** A new key; it is shown only once. */
export function MadeKeyDialog({ made, close }: { readonly made: MadeKey; readonly close: () => void }) {
  return (
    <Dialog title="The key is made" close={close}>
      <div className={classes['made']}>
        <p>Copy it now. It is stored as a hash only, so nobody can show it again.</p>
        <CopyableId id={made.key} />
        <p>
          Programs send it as <code>Authorization: Bearer KEY</code>; the command line reads it from{' '}
          <code>MILLRACE_API_KEY</code>.
        </p>
        <button type="button" className="button primary" onClick={close}>
          I have copied it
        </button>
      </div>
    </Dialog>
  );
}
