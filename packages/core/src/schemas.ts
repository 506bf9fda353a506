// The schemas of events, and of what they consist of: an entry of its own, as only those who publish them load it. `storedEvent` checks
// recorded journals.
export { storedEvent } from './engine/records/event-definition.ts';
export { eventDefinitions, JournalEvent } from './engine/records/journal-event.ts';
export { Amount, Budget, ModelUsage, RecordedResult, UnknownRule, Usage, Warning } from './model/recorded.ts';
