/**
 * Patterns of the texts of workflows. Fields that become names, paths, addresses and words of commands have one of them, so that
 * no control character gets there. No text at all may contain NUL, see {@link reportControlCharacters}.
 */

/** A name, a path or an address: no control characters, so one line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds exactly these characters
export const singleLine = /^[^\u0000-\u001f\u007f-\u009f]*$/;

/** An argument of a program, or the value of a variable: of the control characters, only tabs and line breaks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds exactly these characters
export const argumentText = /^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*$/;

/** The name of an environment variable. */
export const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Advice for other names. */
export const variableNameAdvice =
  'The name of a variable consists of letters, digits and _, and does not begin with a digit.';
