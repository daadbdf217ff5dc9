/**
 * For a tool that is missing: its tests are skipped where SKIP_WITHOUT names it, and fail everywhere else.
 * @param sentence what is missing and how it is got
 * @throws Error with the sentence
 */
export function skipWithout(tool: string, sentence: string, env: NodeJS.ProcessEnv = process.env): undefined {
  if ((env['SKIP_WITHOUT'] ?? '').split(',').includes(tool)) return undefined;
  throw new Error(`${sentence} With SKIP_WITHOUT=${tool} the tests that need it are skipped.`);
}
