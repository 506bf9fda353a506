import type { LiveEvent } from '@millrace/runtime';
import { describe, expect, it } from 'vitest';
import type { LiveArea } from './live-view.ts';
import { createLiveView } from './live-view.ts';

function view(columns = 80) {
  let written = '';
  const liveArea: LiveArea = {
    columns,
    get isOpen() {
      return written !== '' && !written.endsWith('\n');
    },
    write(text) {
      written += text;
    },
    endLine() {
      if (liveArea.isOpen) written += '\n';
    },
  };
  return { ...createLiveView(liveArea), liveArea, written: () => written };
}

const said = (activation: `a${number}`, text: string, more: Partial<LiveEvent> = {}): LiveEvent => ({
  activation,
  node: activation === 'a1' ? 'Ann' : 'Bob',
  step: 'chat m',
  attempt: activation,
  from: 0,
  text,
  ...more,
});

describe('the live view', () => {
  it('streams text behind the name of the node, line by line', () => {
    const { add, written } = view();
    for (const piece of ['Once', ' upon', '\na time']) add(said('a1', piece));

    expect(written()).toBe('  Ann │ Once upon\n  Ann │ a time');
  });

  it('breaks lines at the width of the terminal, and escapes control characters', () => {
    const { add, written } = view(12);
    add(said('a1', 'abc\u001b[2J'));

    expect(written()).toBe('  Ann │ abc\\\n  Ann │ u001\n  Ann │ b[2J');
  });

  it('breaks lines between words, also of a text that comes in pieces', () => {
    const { add, written } = view(16);
    for (const piece of ['It is', ' open', ' now', ', and free.']) add(said('a1', piece));

    expect(written()).toBe('  Ann │ It is \n  Ann │ open now\n  Ann │ , and \n  Ann │ free.');
  });

  it('shows the text of one node until its end, and then that of another', () => {
    const { add, written } = view();
    add(said('a1', 'one'));
    add(said('a2', 'two'));
    add(said('a1', ' more', { ended: true }));
    add(said('a2', ' too', { ended: true }));

    expect(written()).toBe('  Ann │ one more\n  Bob │ two too\n');
  });

  it('starts again when a new attempt replaces one that never ended', () => {
    const { add, endLine, written } = view();
    add(said('a1', 'half'));
    endLine();
    add(said('a1', 'whole', { attempt: 'second', ended: true }));

    expect(written()).toBe('  Ann │ half\n  Ann │ whole\n');
  });

  it('reports that a tool is running', () => {
    const { add, written } = view();
    add(said('a1', '', { step: 'tool search' }));
    add(said('a1', 'page 1\n', { step: 'tool search' }));

    expect(written()).toBe('  Ann │ tool search …\n  Ann │ page 1\n');
  });
});
