import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const floating = {
  color: 'var(--text)',
  backgroundColor: 'var(--surface)',
  border: '1px solid var(--line)',
  borderRadius: 'var(--radius)',
  boxShadow: 'var(--shadow)',
};

/** Looks of the editor, in the colours of the page. */
export const editorTheme = [
  EditorView.theme({
    '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: '12px' },
    // The frame around the editor shows the focus: inside, the gutter would cover a side of it.
    '&.cm-focused': { outlineStyle: 'none' },
    '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '19px' },
    '.cm-content': { caretColor: 'var(--text)' },
    '.cm-cursor': { borderLeftColor: 'var(--text)' },
    '.cm-gutters': { color: 'var(--muted)', backgroundColor: 'var(--surface)', borderRight: '1px solid var(--line)' },
    '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--accent-soft) 55%, transparent)' },
    '.cm-activeLineGutter': { color: 'var(--text)', backgroundColor: 'var(--accent-soft)' },
    '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
      backgroundColor: 'color-mix(in srgb, var(--accent) 30%, transparent)',
    },
    '.cm-foldPlaceholder': { color: 'var(--muted)', backgroundColor: 'var(--sunken)', borderColor: 'var(--line)' },
    '.cm-tooltip': floating,
    '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
      color: 'var(--text)',
      backgroundColor: 'var(--accent-soft)',
    },
    '.cm-tooltip.cm-completionInfo': { maxWidth: '320px', fontFamily: 'var(--sans)' },
    '.cm-completionDetail': { color: 'var(--muted)' },
    '.cm-explanation': { maxWidth: '420px', padding: '8px 12px', fontFamily: 'var(--sans)' },
    '.cm-diagnostic': { fontFamily: 'var(--sans)' },
    '.cm-diagnostic-error': { borderLeftColor: 'var(--failed)' },
    '.cm-diagnostic-warning': { borderLeftColor: 'var(--waiting)' },
    '.cm-panels': { color: 'var(--text)', backgroundColor: 'var(--sunken)' },
    '.cm-panels .cm-textfield': { color: 'var(--text)', backgroundColor: 'var(--surface)' },
    '.cm-panels .cm-button': { color: 'var(--text)', backgroundColor: 'var(--surface)', backgroundImage: 'none' },
    '.cm-searchMatch': { backgroundColor: 'var(--waiting-ground)' },
    '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-soft)' },
  }),
  syntaxHighlighting(
    HighlightStyle.define([
      { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
      { tag: tags.comment, color: 'var(--muted)', fontStyle: 'italic' },
      { tag: tags.string, color: 'var(--completed)' },
      { tag: [tags.bool, tags.number, tags.null, tags.keyword], color: 'var(--terminated)' },
      { tag: [tags.labelName, tags.typeName, tags.meta], color: 'var(--running)' },
    ]),
  ),
];
