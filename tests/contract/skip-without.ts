/**
 * Skips the tests of a missing tool if SKIP_WITHOUT names the tool, and fails otherwise.
 * @param sentence what is missing and how to install it
 * @throws Error with the sentence
 */
export function skipWithout(tool: string, sentence: string, env: NodeJS.ProcessEnv = process.env): undefined {
  if ((env['SKIP_WITHOUT'] ?? '').split(',').includes(tool)) return undefined;
  throw new Error(`${sentence} With SKIP_WITHOUT=${tool} the tests that need it are skipped.`);
}
