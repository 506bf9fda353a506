/*
 * The palette is loaded when it is opened for the first time. Characters typed before its field has the focus belong to
 * the field, and must not trigger shortcuts of the screen.
 */

let typed = '';

/** Withholds typed characters from the page, until they are taken. */
export function holdTyping(): void {
  window.addEventListener('keydown', onKeyDown, { capture: true });
}

/** Returns the characters typed since `holdTyping`, and stops withholding them. */
export function takeTyped(): string {
  window.removeEventListener('keydown', onKeyDown, { capture: true });
  const text = typed;
  typed = '';
  return text;
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.key === 'Backspace') typed = typed.slice(0, -1);
  else if (event.key.length === 1) typed += event.key;
  else return;
  event.preventDefault();
  event.stopPropagation();
}
