/** What an action requires of its caller: a scope, or to operate the whole installation. */
export type Needed = 'run' | 'answer' | 'admin' | 'operator';
