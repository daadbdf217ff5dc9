import Sequencer from '@jest/test-sequencer';

/**
 * Starts with the crash tests: they mostly wait, and one that starts last would run alone for minutes. In a fresh clone
 * jest has no durations yet and sorts by file size.
 */
export default class CrashTestsFirst extends Sequencer {
  sort(tests) {
    const isCrashTest = ({ path }) => path.includes('/tests/e2e/crash-');
    return super.sort(tests).toSorted((one, other) => Number(isCrashTest(other)) - Number(isCrashTest(one)));
  }
}
