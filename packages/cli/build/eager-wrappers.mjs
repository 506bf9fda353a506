const wrapper = /(__commonJSMin\(\()\(([^()]*)\) => \{/g;

/**
 * Plugin of Rolldown: wraps CommonJS modules in functions, not arrows. V8 11, that of Node.js 20, reads a function in parentheses
 * once, as one that is about to be called; of an arrow, it looks for the end first and reads it again when it is called.
 */
export function eagerWrappers() {
  return {
    name: 'eager-wrappers',
    renderChunk(code) {
      const wrapped = code.replace(wrapper, '$1function($2) {');
      return wrapped === code ? null : { code: wrapped, map: null };
    },
  };
}
