import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { indentWithTab } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { HighlightStyle, indentService, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { lintGutter } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import type { Tooltip } from '@codemirror/view';
import { EditorView, hoverTooltip, keymap } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { basicSetup } from 'codemirror';
import { loadSchema, loadYamlPlace } from './completion/schema-source.ts';
import type { DocumentPath } from './completion/schema-walk.ts';
import { isSchema, schemasAt } from './completion/schema-walk.ts';
import type { SchemaWord } from './completion/schema-words.ts';
import { explanationOf, fieldsOf, valuesOf } from './completion/schema-words.ts';
import type { WrittenWord } from './completion/yaml-place.ts';
import { indentAfter } from './indent-after.ts';
import { nodeLines } from './node-lines.ts';

interface EditorOptions {
  readonly text: string;
  /** Called with the text when typing has stopped, and at once when the page is left. */
  readonly settle: (text: string) => void;
  /** Called when the cursor has moved and rests. */
  readonly move: (view: EditorView) => void;
  /** Called with the whole text after something long was pasted. */
  readonly paste: (text: string) => void;
}

/** Time after the last key after which a text counts as written, in milliseconds. */
const settledMs = 250;
const longPaste = 200;

/** An editor in an element. */
export interface OpenedEditor {
  readonly view: EditorView;
  /** Passes on what was typed since the last time, at once. */
  settle(): void;
  close(): void;
}

/** Opens an editor in an element. */
export function createEditor(parent: HTMLElement, options: EditorOptions): OpenedEditor {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let resting: ReturnType<typeof setTimeout> | undefined;
  let isSettled = true;
  const view = new EditorView({
    parent,
    doc: options.text,
    extensions: [
      basicSetup,
      yaml(),
      lintGutter(),
      keymap.of([indentWithTab]),
      indentUnit.of('  '),
      // Without it a line after `nodes:` begins below it, and a key after a comment further to the left.
      indentService.of((context, position) =>
        context.simulatedBreak === null ? undefined : indentAfter(context.lineAt(position, -1).text),
      ),
      EditorState.tabSize.of(2),
      nodeLines,
      EditorState.languageData.of(() => [{ autocomplete: completeWorkflow }]),
      hoverTooltip(explainWorkflow),
      editorTheme,
      EditorView.cspNonce.of(styleNonce()),
      EditorView.contentAttributes.of({
        'aria-label': 'Workflow YAML',
        'aria-describedby': leavingHint,
        tabindex: '0',
      }),
      EditorView.updateListener.of(({ docChanged, selectionSet, transactions, state }) => {
        if (docChanged) {
          isSettled = false;
          clearTimeout(timer);
          timer = setTimeout(settle, settledMs);
          const isPaste = transactions.some((one) => one.isUserEvent('input.paste'));
          if (isPaste && state.doc.length > longPaste) options.paste(state.doc.toString());
        }
        if (!docChanged && !selectionSet) return;
        clearTimeout(resting);
        resting = setTimeout(() => options.move(view), settledMs);
      }),
    ],
  });
  const settle = () => {
    if (isSettled) return;
    isSettled = true;
    clearTimeout(timer);
    options.settle(view.state.doc.toString());
  };
  // Phones may end a page that is hidden without another word.
  const onHidden = () => document.hidden && settle();
  window.addEventListener('pagehide', settle);
  document.addEventListener('visibilitychange', onHidden);
  return {
    view,
    settle,
    close() {
      settle();
      clearTimeout(resting);
      window.removeEventListener('pagehide', settle);
      document.removeEventListener('visibilitychange', onHidden);
      view.destroy();
    },
  };
}

/** Id of the sentence that explains how the keyboard leaves the editor. */
const leavingHint = 'leaving-the-editor';

/** Returns the nonce that the content security policy of this page requires of styles. */
const styleNonce = (): string => document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

/** Offers the fields and values that the JSON Schema knows for the place at the cursor, and the ids of nodes. */
async function completeWorkflow({
  state,
  pos,
  explicit,
  aborted,
}: CompletionContext): Promise<CompletionResult | null> {
  const [schema, { wordBefore }] = await Promise.all([loadSchema(), loadYamlPlace()]);
  if (schema === undefined || aborted) return null;
  const written = wordBefore(state.doc.toString(), pos);
  if (written === undefined || (!explicit && written.from === pos && written.kind === 'key')) return null;
  const { kind, path, value, from } = written;
  const schemas = schemasAt(schema, path, value);
  const options =
    kind === 'key'
      ? [...keysFor(written, fieldsOf(schemas)), ...valuesOf(schemas).map((word) => optionOf(word, 'enum'))]
      : [...nodesFor(path, value), ...valuesOf(schemas).map((word) => optionOf(word, 'enum'))];
  return options.length === 0 ? null : { from, options, validFor: /^[\w$.-]*$/ };
}

/** Returns the fields that the mapping does not have yet. */
function keysFor({ path, value }: WrittenWord, fields: readonly SchemaWord[]): readonly Completion[] {
  const there = valueAt(value, path);
  const known = isSchema(there) ? there : {};
  return fields
    .filter(({ word }) => !Object.hasOwn(known, word))
    .map((field) => ({ ...optionOf(field, 'property'), apply: `${field.word}: ` }));
}

const optionOf = ({ word, description, isRequired }: SchemaWord, type: string): Completion => ({
  label: word,
  type,
  ...(description === undefined ? {} : { info: description }),
  ...(isRequired ? { detail: 'required', boost: 10 } : {}),
});

/** Fields whose values are ids of nodes. */
const referring: ReadonlySet<unknown> = new Set(['from', 'to', 'start', 'end', 'nodes']);

/** Returns the ids of the nodes of the graph around a place that names a node. */
function nodesFor(path: DocumentPath, value: unknown): readonly Completion[] {
  const field = path.findLast((step) => typeof step === 'string');
  if (!referring.has(field)) return [];
  for (let length = path.length - 1; length >= 0; length--) {
    const around = valueAt(value, path.slice(0, length));
    if (!isSchema(around) || !Array.isArray(around['nodes'])) continue;
    const ids = around['nodes'].flatMap((node) =>
      isSchema(node) && typeof node['id'] === 'string' ? [node['id']] : [],
    );
    if (ids.length > 0) return ids.map((label) => ({ label, type: 'variable', detail: 'node', boost: 20 }));
  }
  return [];
}

const valueAt = (value: unknown, path: DocumentPath): unknown =>
  path.reduce<unknown>(
    (inner, step) => (Array.isArray(inner) ? inner[Number(step)] : isSchema(inner) ? inner[String(step)] : undefined),
    value,
  );

/** Explains the field or value under the pointer by the JSON Schema. */
async function explainWorkflow({ state }: EditorView, position: number): Promise<Tooltip | null> {
  const [schema, { placeAt }] = await Promise.all([loadSchema(), loadYamlPlace()]);
  const place = schema && placeAt(state.doc.toString(), position);
  if (schema === undefined || place === undefined) return null;
  const lines = explanationOf(schemasAt(schema, place.path, place.value));
  if (lines.length === 0) return null;
  return { pos: position, above: true, create: () => ({ dom: explanation(place.path.findLast(isName) ?? '', lines) }) };
}

const isName = (step: string | number): step is string => typeof step === 'string';

function explanation(name: string, lines: readonly string[]): HTMLElement {
  const element = document.createElement('div');
  element.className = 'cm-explanation';
  const heading = document.createElement('strong');
  heading.textContent = name;
  element.append(
    heading,
    ...lines.map((line) => {
      const part = document.createElement('p');
      part.textContent = line;
      return part;
    }),
  );
  return element;
}

const floating = {
  color: 'var(--text)',
  backgroundColor: 'var(--surface)',
  border: '1px solid var(--line)',
  borderRadius: 'var(--radius)',
  boxShadow: 'var(--shadow)',
};

/** Looks of the editor, in the colours of the page. */
const editorTheme = [
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
