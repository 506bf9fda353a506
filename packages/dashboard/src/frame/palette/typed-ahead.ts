/*
 * The palette is loaded when it is opened for the first time. What is typed until its field has the focus is meant for it,
 * and must not act on the screen as shortcuts.
 */

let typed = '';

/** Keeps what is typed from the page, until it is taken. */
export function holdTyping(): void {
  window.addEventListener('keydown', onKeyDown, { capture: true });
}

/** Returns what was typed since `holdTyping`, and gives the keys back to the page. */
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
