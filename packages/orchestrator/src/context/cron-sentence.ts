/** Returns a cron expression in words, as in `At 07:00, Monday through Friday`; the expression where there are none. */
export async function cronSentence(cron: string): Promise<string> {
  // The library is loaded when the first schedule is shown.
  const { default: cronstrue } = await import('cronstrue');
  try {
    return cronstrue.toString(cron.trim(), { use24HourTimeFormat: true });
  } catch {
    return cron;
  }
}
