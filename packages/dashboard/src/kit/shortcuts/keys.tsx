import classes from './keys.module.css';

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);
const names: Readonly<Record<string, string>> = { mod: isApple ? '⌘' : 'Ctrl', Escape: 'Esc', Enter: '⏎' };

/** Keys of a shortcut as they are printed on a keyboard. */
export function Keys({ keys }: { readonly keys: string }) {
  return (
    <span className={`${classes['keys']} nowrap`}>
      {keys.split(' ').flatMap((stroke) => {
        const parts = /^[A-Z]$/.test(stroke) ? ['Shift', stroke] : stroke.split(/\+(?=.)/);
        return parts.map((part) => (
          <kbd key={`${stroke} ${part}`}>{names[part] ?? (part.length === 1 ? part.toUpperCase() : part)}</kbd>
        ));
      })}
    </span>
  );
}
