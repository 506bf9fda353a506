import type { Diagnostic } from '@millrace/client';

/** Changes that a pasted file of ChatDev needs before it can run here. */
export interface ChatDevAdvice {
  /** Variables without a value. */
  readonly variables: readonly string[];
  /** Variables in secret fields, whose values are those of the workers. */
  readonly secrets: readonly string[];
  /** Problems by their subject. */
  readonly functions: readonly Diagnostic[];
  readonly files: readonly Diagnostic[];
  readonly others: readonly Diagnostic[];
}

/** Fields that the files of ChatDev have and few others. */
const signs = [
  /^version:\s*['"]?0\.\d/m,
  /^\s+is_majority_voting:/m,
  /^\s+input_mode:\s*(prompt|messages)/m,
  /^\s+(keep_message|carry_data|clear_context|clear_kept_context):/m,
  /\$\{(BASE_URL|API_KEY|MODEL_NAME)\}/,
  /^\s+log_output:/m,
  /^\s+organization:/m,
];
const fewestSigns = 2;

/** Tests if a text is a workflow file of ChatDev, or looks like one. */
export const isChatDev = (text: string): boolean =>
  /^graph:/m.test(text) && signs.filter((sign) => sign.test(text)).length >= fewestSigns;

const functionCodes = /^[EW]_(FUNCTION|TOOL|CONDITION_TYPE|PROCESSOR_TYPE)_UNKNOWN$/;
const fileCodes = /^E_(SUBGRAPH_NOT_FOUND|FILE_UNREADABLE|MEMORY_PATH)$/;

/** Returns the changes that a file of ChatDev needs, by the problems that the server reports. */
export function adviceFor(text: string, diagnostics: readonly Diagnostic[]): ChatDevAdvice {
  const lines = text.split('\n');
  const variables = unresolvedIn(diagnostics);
  const secrets = namesOf(lines.filter((line) => /\b(api_key|headers|env)\b/.test(line)));
  return {
    variables: variables.filter((name) => !secrets.includes(name)),
    secrets,
    functions: diagnostics.filter(({ code }) => functionCodes.test(code)),
    files: diagnostics.filter(({ code }) => fileCodes.test(code)),
    others: diagnostics.filter(
      ({ code, severity }) => severity === 'error' && !functionCodes.test(code) && !fileCodes.test(code),
    ),
  };
}

/** Returns the names of the variables that have no value. */
export const unresolvedIn = (diagnostics: readonly Diagnostic[]): readonly string[] => [
  ...new Set(
    diagnostics
      .filter(({ code }) => /^[EW]_VARIABLE_UNRESOLVED$/.test(code))
      .flatMap(({ message }) => /"([A-Za-z0-9_]+)"/.exec(message)?.[1] ?? []),
  ),
];

/** Returns the names of the variables that are used in texts. */
const namesOf = (texts: readonly string[]): readonly string[] => [
  ...new Set(texts.flatMap((text) => [...text.matchAll(/\$\{([A-Za-z0-9_]+)\}/g)].map(([, name = '']) => name))),
];

/** Tests if a text sets `compat: chatdev`. */
export const followsChatDev = (text: string): boolean => /^\s+compat:\s*chatdev/m.test(text);

/** Returns a text with `compat: chatdev`. */
export function followingChatDev(text: string): string {
  const indent = /^graph:[^\n]*\n(?:\s*(?:#[^\n]*)?\n)*( +)/m.exec(text)?.[1] ?? '  ';
  return text.replace(/^graph:[^\n]*\n/m, (line) => `${line}${indent}compat: chatdev\n`);
}
